#include "core/optimizers/optimizer.h"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

#include <cmath>

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

class AdamwRuleTest : public testing::TestWithParam<bool> {};

// Algorithm 2 of arXiv 1711.05101, as torch.optim.AdamW has it: decayed by the rate times λ.
TEST_P(AdamwRuleTest, MatchesThePaper) {
    constexpr double kDecay = 0.5;
    auto ours =
        createOptimizer("adamw", table({{"weight_decay", number(kDecay)}, {"no_decay", text(noDecayOf(GetParam()))}}));
    const double worst = largestDifferenceFromRule(*ours, kOptimizerSteps, GetParam(), [&](const RuleStep& at) {
        if (at.state.empty()) at.state = {torch::zeros_like(at.weights), torch::zeros_like(at.weights)};
        at.state[0] = 0.9 * at.state[0] + 0.1 * at.gradient;
        at.state[1] = 0.999 * at.state[1] + 0.001 * at.gradient.square();
        const at::Tensor mean = at.state[0] / (1 - std::pow(0.9, at.step));
        const at::Tensor meanSquare = at.state[1] / (1 - std::pow(0.999, at.step));
        const at::Tensor direction = mean / (meanSquare.sqrt() + 1e-8);
        at.weights.sub_(at.rate * (at.decayed ? direction + kDecay * at.weights : direction));
    });
    EXPECT_LT(worst, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Groups, AdamwRuleTest, testing::Bool());

}  // namespace
}  // namespace dasgd
