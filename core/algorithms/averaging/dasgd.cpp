// DaSGD: local SGD with delayed averaging (arXiv 2006.00441). Every τ steps the average of all weights is started; it
// is merged d steps later, so that communication overlaps with local steps. Rule: delayed_average.h.
//
// Checked against the authors' code (sweetwenwen/fastai-dasgd, train.py, fit_asynchronous_average_models_one_cycle),
// the paper's equations not being at hand: the blend, c = 0; a first snapshot after step τ; parameters alone, each rank
// keeping its optimiser's state and its running statistics. With d = 0 that code merges its last learner alone, here
// all ranks merge. Correction, offset, a snapshot at zero and other treatments of the state are additions, off unless
// set.
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct DasgdParams {
    DelayedAverageParams values{.period = 4, .delay = 1, .localWeight = 0.25};
    void visit(auto&& f) {
        f(values.period, "period", periodField());
        f(values.delay, "delay", delayField("Lag of the merge behind the snapshot; at most the period"));
        f(values.localWeight, "local_weight",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "ξ", .help = "Weight of the local model in the merge"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1,
           .symbol = "c",
           .help = "Share of the overlapped local steps added to the mean: 0 blend, 1 delta"});
        f(values.snapshotAtZero, "snapshot_at_zero",
          {.help = "Take a first snapshot at the start, merged after delay steps (at once without a delay)"});
        f(values.offset, "offset",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .help = "Snapshots after steps offset, offset + period, …; less than the period, and with "
                   "snapshot_at_zero 0 or at least the delay"});
        f(values.optimizerState, "optimizer_state", optimizerStateField());
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class Dasgd : public DelayedAverage {
public:
    explicit Dasgd(const DasgdParams& params) : DelayedAverage(params.values) {}
};

const AddWithSyncSteps<Dasgd, DasgdParams> kDasgdEntry{
    "dasgd", "Local SGD with delayed averaging", "arXiv 2006.00441",
    withForecast(ForecastRole::Advised, averagesWithState(ofField("delay")))};

}  // namespace
}  // namespace dasgd
