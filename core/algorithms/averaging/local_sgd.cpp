// Local SGD (Stich, arXiv 1805.09767): every τ steps all workers take the mean of their weights and wait for it, after
// the steps that τ divides. PyTorch's averages (torch/distributed/algorithms/model_averaging/averagers.py,
// PeriodicModelAverager) are those of steps 1, 1 + τ, ….
//
// With Adam, optimizer_state = "average" and state_periods = [3, 6] it is DES-LOC (Iacob et al., ICLR 2026, arXiv
// 2505.22549), which averages weights, mean and mean square each at its own period, there τ, 3τ and 6τ.
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct LocalSgdParams {
    DelayedAverageParams values{.period = 4, .delay = 0, .localWeight = 0};
    void visit(auto&& f) {
        f(values.period, "period", periodField());
        f(values.optimizerState, "optimizer_state", optimizerStateField());
        f(values.statePeriods, "state_periods", statePeriodsField());
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class LocalSgd : public DelayedMean {
public:
    explicit LocalSgd(const LocalSgdParams& params) : DelayedMean(params.values) {}
};

const AddWithSyncSteps<LocalSgd, LocalSgdParams> kLocalSgdEntry{
    "local_sgd", "Periodic blocking averages", "arXiv 1805.09767",
    withForecast(ForecastRole::Blocking, averagesWithState())};

}  // namespace
}  // namespace dasgd
