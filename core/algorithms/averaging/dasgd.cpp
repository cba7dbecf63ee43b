// DaSGD: local SGD with delayed averaging (arXiv 2006.00441). Every τ steps (`period`) all ranks start to average a
// snapshot s of their weights w. Each rank merges the mean m d steps later (`delay`), so that communication overlaps
// with local steps:
//
//   w ← ξ·w + (1−ξ)·(m + c·(w − s))        rule: delayed_average.h
//
// Checked against the authors' code (sweetwenwen/fastai-dasgd, train.py, fit_asynchronous_average_models_one_cycle);
// the equations of the paper were not available. The defaults do what that code does: c = 0, that is, a weighted sum of
// local weights and mean; a first snapshot after step τ; only parameters are averaged, and each rank keeps the state of
// its optimiser and the running statistics of batch norm. One difference: with d = 0 that code merges only into the
// last of its model replicas (`learner`), here all ranks merge. Additions of this project, off by default: correction,
// offset, snapshot_at_zero, sync_steps, the values reset and average of optimizer_state, and state_periods.
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct DasgdParams {
    DelayedAverageParams values{.period = 4, .delay = 1, .localWeight = 0.25};
    void visit(auto&& f) {
        f(values.period, "period", periodField());
        f(values.delay, "delay", delayField("Steps from the snapshot to its merge; at most the period"));
        f(values.localWeight, "local_weight",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "ξ", .help = "Weight of the local model in the merge"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1,
           .symbol = "c",
           .help = "Share of the local progress since the snapshot that is added to the mean: 0 none, 1 all"});
        f(values.snapshotAtZero, "snapshot_at_zero",
          {.help = "Take a first snapshot at the start, merged after delay steps (at once without a delay)"});
        f(values.offset, "offset",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .help = "Snapshots after steps offset, offset + period, …; less than the period. With snapshot_at_zero "
                   "it is 0 or at least the delay"});
        f(values.optimizerState, "optimizer_state", optimizerStateField());
        f(values.statePeriods, "state_periods", statePeriodsField());
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

// The engine with the parameters of DaSGD.
class Dasgd : public DelayedMean {
public:
    explicit Dasgd(const DasgdParams& params) : DelayedMean(params.values) {}
};

const AddWithSyncSteps<Dasgd, DasgdParams> kDasgdEntry{
    "dasgd", "Local SGD with delayed averaging", "arXiv 2006.00441",
    withForecast(ForecastRole::Advised, averagesWithState(ofField("delay")))};

}  // namespace
}  // namespace dasgd
