// Gossip over a graph with all settings of the merge family: m = Σⱼ Wᵢⱼ·sⱼ in place of the mean. The defaults are
// D-PSGD as published (Lian et al., NeurIPS 2017, arXiv 1705.09056, algorithm 1): x ← Wx − ηg(x) with the gradient at
// the unmixed x, which is a delta with τ = d = 1 and a snapshot of the start.
//
// The optimiser's state stays the rank's own. Under a delta or an overwrite with d = 0, ⟨x⟩ makes the mean of the local
// steps exactly, whatever W, and whatever the operator of [compression]. With one, adapt-then-combine (overwrite, d =
// 0) is CHOCO-SGD (arXiv 1907.09356).
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct GossipSgdParams {
    DelayedAverageParams values{.period = 1, .delay = 1, .localWeight = 0, .correction = 1, .snapshotAtZero = true};
    double consensus = 1;
    void visit(auto&& f) {
        f(values.period, "period", periodField("Local steps between exchanges"));
        f(values.delay, "delay", delayField("Steps from the snapshot to its merge; at most the period"));
        f(values.localWeight, "local_weight",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "ξ", .help = "Weight of the local model in the merge"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1,
           .symbol = "c",
           .help = "Share of the local progress since the snapshot that is added to the mixture: 0 none, 1 all"});
        f(values.snapshotAtZero, "snapshot_at_zero",
          {.help = "Take a first snapshot at the start, merged after delay steps (at once without a delay)"});
        f(values.offset, "offset",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .help = "Snapshots after steps offset, offset + period, …; less than the period. With snapshot_at_zero "
                   "it is 0 or at least the delay"});
        f(values.optimizerState, "optimizer_state",
          {.help = "The optimiser's state at a merge: kept, or reset", .choices = {"keep", "reset"}});
        f(consensus, "consensus", consensusField());
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class GossipSgd : public GraphAverage {
public:
    explicit GossipSgd(const GossipSgdParams& params) : GraphAverage(params.values, "ring", params.consensus) {}
};

const AddWithSyncSteps<GossipSgd, GossipSgdParams> kGossipSgdEntry{
    "gossip_sgd", "Delayed exchange with the neighbours of a graph", "arXiv 1705.09056", gossipPattern()};

}  // namespace
}  // namespace dasgd
