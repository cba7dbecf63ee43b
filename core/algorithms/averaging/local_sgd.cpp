// Local SGD (Stich, arXiv 1805.09767): every τ steps all workers take the mean of their weights and wait for it.
#include "core/algorithms/averaging/delayed_average.h"

namespace dasgd {
namespace {

struct LocalSgdParams {
    std::int64_t period = 4;
    std::string optimizerState = "keep";
    void visit(auto&& f) {
        f(period, "period", periodField());
        f(optimizerState, "optimizer_state", optimizerStateField());
    }
};

class LocalSgd final : public DelayedAverage {
public:
    explicit LocalSgd(const LocalSgdParams& params)
        : DelayedAverage({.period = params.period,
                          .delay = 0,
                          .localWeight = 0,
                          .correction = 0,
                          .optimizerState = params.optimizerState}) {}
};

const AlgorithmRegistry::Add<LocalSgd, LocalSgdParams> kLocalSgdEntry{"local_sgd", "Periodic blocking averages",
                                                                      "arXiv 1805.09767", averagesWithState()};

}  // namespace
}  // namespace dasgd
