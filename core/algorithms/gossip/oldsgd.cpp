// OLDSGD, overlapping local decentralised SGD (Zhou, Pu, arXiv 2601.01493): every τ steps a worker adds its local steps
// of the last period to what its neighbours and it had τ steps ago,
//
//   xᵢ(t) = Σⱼ Wᵢⱼ·xⱼ(t−τ) − η·Σ gᵢ(k), k = t−τ … t−1.
//
// The merge family's delta with d = τ, a snapshot of the start, and gossip instead of the mean. W is that of [graph];
// by default a ring's: 1/3 for a worker and each of its neighbours, 1/2 with two workers. It is doubly stochastic, so
// merges leave ⟨x⟩ alone. Rule and doubly stochastic W were checked against two published summaries of the paper; the
// ring is this program's choice.
//
// Memory: 2 N beside the weights, and N for each neighbour. Sends N to each neighbour a period, overlapped with all of
// it; a rank waits for its neighbours alone.
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct OldsgdParams {
    std::int64_t period = 4;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between exchanges; each is merged when the next one leaves"));
    }
};

class Oldsgd : public GraphAverage {
public:
    explicit Oldsgd(const OldsgdParams& params) : GraphAverage(deltaOverPeriod(params.period)) {}
};

const AddWithSyncSteps<Oldsgd, OldsgdParams> kOldsgdEntry{"oldsgd",
                                                          "Overlapped exchange with the neighbours of a graph",
                                                          "arXiv 2601.01493",
                                                          {.kind = CommunicationPattern::Kind::Averages,
                                                           .period = ofField("period"),
                                                           .delay = ofField("period"),
                                                           .peers = 2,
                                                           .assumes = {"The graph is a ring."}}};

}  // namespace
}  // namespace dasgd
