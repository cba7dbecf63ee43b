// Local SGD (Stich, arXiv 1805.09767): every τ steps all workers take the mean of their weights and wait for it.
#include "core/algorithms/averaging/delayed_average.h"

namespace dasgd {
namespace {

struct LocalSgdParams {
    std::int64_t period = 4;
    void visit(auto&& f) {
        f(period, "period",
          {.min = 1, .max = 1e9, .unit = "steps", .symbol = "τ", .help = "Local steps between averages"});
    }
};

class LocalSgd final : public Algorithm, public Checkpointed {
public:
    explicit LocalSgd(const LocalSgdParams& params)
        : average_({.period = params.period, .delay = 0, .localWeight = 0, .correction = 0}) {}
    void afterStep(StepContext& context) override { average_.afterStep(context); }
    void drain(StepContext& context) override { average_.drain(context); }
    void save(StepContext& context, Archive& archive) override { average_.save(context, archive); }
    Status load(StepContext& context, const Archive& archive) override { return average_.load(context, archive); }
    [[nodiscard]] std::int64_t roundSteps() const override { return average_.roundSteps(); }

private:
    DelayedAverage average_;
};

const AlgorithmRegistry::Add<LocalSgd, LocalSgdParams> kLocalSgdEntry{"local_sgd", "Periodic blocking averages",
                                                                      "arXiv 1805.09767"};

}  // namespace
}  // namespace dasgd
