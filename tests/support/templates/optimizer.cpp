// w -= ηg; made by tests/bench/add_one_of_each.sh.
#include <torch/types.h>

#include "core/optimizers/optimizer.h"

namespace dasgd {
namespace {

struct ExtraOptimizerParams {
    double learningRate = 0.1;
    void visit(auto&& f) { f(learningRate, "learning_rate", {.min = 0, .symbol = "η", .help = "Step size"}); }
};

class ExtraOptimizer final : public Optimizer {
public:
    explicit ExtraOptimizer(const ExtraOptimizerParams& params) : params_(params) {}
    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        flat.weights().sub_(flat.gradients(), learningRate);
    }
    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override { return {}; }
    std::int64_t stateTensors() const override { return 0; }
    void reset() override {}
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t, std::int64_t) const override {
        return std::make_unique<ExtraOptimizer>(params_);
    }
    void save(Archive&) const override {}
    Status load(const Archive&, FlatParams&) override { return {}; }

private:
    ExtraOptimizerParams params_;
};

const OptimizerRegistry::Add<ExtraOptimizer, ExtraOptimizerParams> kExtraOptimizerEntry{"extra_optimizer",
                                                                                        "Plain descent"};

}  // namespace
}  // namespace dasgd
