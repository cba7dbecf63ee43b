// Local SGD (Stich, arXiv 1805.09767): every τ steps all workers take the mean of their weights and wait for it, after
// the steps that τ divides. PyTorch's averages (torch/distributed/algorithms/model_averaging/averagers.py,
// PeriodicModelAverager) are those of steps 1, 1 + τ, ….
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct LocalSgdParams {
    DelayedAverageParams values{.period = 4, .delay = 0, .localWeight = 0};
    void visit(auto&& f) {
        f(values.period, "period", periodField());
        f(values.optimizerState, "optimizer_state", optimizerStateField());
    }
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
