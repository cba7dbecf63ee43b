#include "core/optimizers/clipped_optimizer.h"

#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/sgd.h>

#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

TEST(ClippedOptimizer, ClipsAsTorchDoes) {
    for (const double limit : {0.01, 0.5, 1e6}) {
        const auto ours = clipped(createOptimizer("sgd", {}), limit);
        const auto options = torch::optim::SGDOptions(0.05).momentum(0.9);
        std::unique_ptr<torch::optim::SGD> theirs;
        const double worst = largestDifferenceFrom(
            *ours, kOptimizerSteps, [&](const std::vector<at::Tensor>& parameters, int, double rate) {
                if (!theirs) theirs = std::make_unique<torch::optim::SGD>(parameters, options);
                static_cast<torch::optim::SGDOptions&>(theirs->param_groups()[0].options()).lr(rate);
                torch::nn::utils::clip_grad_norm_(parameters, limit);
                theirs->step();
            });
        EXPECT_LT(worst, 1e-10) << limit;
    }
}

TEST(ClippedOptimizer, ACopyOfAPartIsClippedByTheNormOfThePartAlone) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().fill_(3);
    const auto limited = clipped(createOptimizer("sgd", table({{"momentum", number(0)}})), 0.5);
    FlatParams part = FlatParams::copyOf(flat, {{0, 1}}, flat.gradients().narrow(0, 0, 1).clone());
    const double start = part.weights()[0].item<double>();
    limited->copyOfPart(0, 1)->step(part, 1);
    EXPECT_NEAR(part.weights()[0].item<double>(), start - 0.5, 1e-6);
}

// A captured update needs the interface of the optimiser that is clipped.
TEST(ClippedOptimizer, IsSteadyWhereItsOptimiserIs) {
    const auto steady = clipped(createOptimizer("sgd", {}), 0.5), unsteady = clipped(createOptimizer("muon", {}), 0.5);
    EXPECT_NE(dynamic_cast<SteadyStep*>(steady.get()), nullptr);
    EXPECT_EQ(dynamic_cast<SteadyStep*>(unsteady.get()) != nullptr,
              dynamic_cast<SteadyStep*>(createOptimizer("muon", {}).get()) != nullptr);
}

}  // namespace
}  // namespace dasgd
