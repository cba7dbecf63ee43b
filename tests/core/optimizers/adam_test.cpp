#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>

#include "core/optimizers/optimizer.h"
#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

class AdamTest : public testing::TestWithParam<double> {};

TEST_P(AdamTest, MatchesTorch) {
    const double decay = GetParam();
    auto ours = createOptimizer("adam", table({{"weight_decay", number(decay)}, {"beta2", number(0.99)}}));
    const auto options = torch::optim::AdamOptions(0.05).weight_decay(decay).betas({0.9, 0.99});
    const double worst = largestDifference(
        *ours,
        [&](std::vector<at::Tensor> parameters) { return std::make_unique<torch::optim::Adam>(parameters, options); },
        [](torch::optim::Optimizer& optimizer, double rate) {
            static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options()).lr(rate);
        });
    EXPECT_LT(worst, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, AdamTest, testing::Values(0.0, 0.01, 0.5));

class AdamRuleTest : public testing::TestWithParam<bool> {};

// Algorithm 1 of arXiv 1412.6980 on g + λw.
TEST_P(AdamRuleTest, MatchesThePaper) {
    const double decay = 0.1, beta1 = 0.8, beta2 = 0.95, epsilon = 1e-6;
    auto ours = createOptimizer("adam", table({{"weight_decay", number(decay)},
                                               {"beta1", number(beta1)},
                                               {"beta2", number(beta2)},
                                               {"epsilon", number(epsilon)},
                                               {"no_decay", text(noDecayOf(GetParam()))}}));
    const double worst = largestDifferenceFromRule(*ours, kOptimizerSteps, GetParam(), [&](const RuleStep& at) {
        if (at.state.empty()) at.state = {torch::zeros_like(at.weights), torch::zeros_like(at.weights)};
        const at::Tensor g = at.decayed ? at.gradient + decay * at.weights : at.gradient;
        at.state[0] = beta1 * at.state[0] + (1 - beta1) * g;
        at.state[1] = beta2 * at.state[1] + (1 - beta2) * g.square();
        const at::Tensor mean = at.state[0] / (1 - std::pow(beta1, at.step));
        const at::Tensor meanSquare = at.state[1] / (1 - std::pow(beta2, at.step));
        at.weights.sub_(at.rate * mean / (meanSquare.sqrt() + epsilon));
    });
    EXPECT_LT(worst, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Groups, AdamRuleTest, testing::Bool());

}  // namespace
}  // namespace dasgd
