#include "core/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

class AdamwTest : public testing::TestWithParam<double> {};

TEST_P(AdamwTest, MatchesTorch) {
    const double decay = GetParam();
    auto ours = createOptimizer("adamw", table({{"weight_decay", number(decay)}, {"beta2", number(0.99)}}));
    const auto options = torch::optim::AdamWOptions(0.05).weight_decay(decay).betas({0.9, 0.99});
    const double worst = largestDifference(
        *ours,
        [&](std::vector<at::Tensor> parameters) { return std::make_unique<torch::optim::AdamW>(parameters, options); },
        [](torch::optim::Optimizer& optimizer, double rate) {
            static_cast<torch::optim::AdamWOptions&>(optimizer.param_groups()[0].options()).lr(rate);
        });
    EXPECT_LT(worst, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, AdamwTest, testing::Values(0.0, 0.01, 0.5));

}  // namespace
}  // namespace dasgd
