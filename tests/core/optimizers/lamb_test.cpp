#include <gtest/gtest.h>

#include <cmath>

#include "core/optimizers/optimizer.h"
#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

class LambTest : public testing::TestWithParam<bool> {};

// Algorithm 2 of arXiv 1904.00962 with the identity for φ.
TEST_P(LambTest, MatchesThePaper) {
    const double beta1 = 0.8, beta2 = 0.95, epsilon = 1e-4, decay = 0.1;
    auto ours = createOptimizer("lamb", table({{"beta1", number(beta1)},
                                               {"beta2", number(beta2)},
                                               {"epsilon", number(epsilon)},
                                               {"weight_decay", number(decay)},
                                               {"no_decay", text(noDecayOf(GetParam()))}}));
    const double worst = largestDifferenceFromRule(*ours, kOptimizerSteps, GetParam(), [&](const RuleStep& at) {
        if (at.state.empty()) at.state = {torch::zeros_like(at.weights), torch::zeros_like(at.weights)};
        at.state[0] = beta1 * at.state[0] + (1 - beta1) * at.gradient;
        at.state[1] = beta2 * at.state[1] + (1 - beta2) * at.gradient.square();
        const at::Tensor mean = at.state[0] / (1 - std::pow(beta1, at.step));
        const at::Tensor meanSquare = at.state[1] / (1 - std::pow(beta2, at.step));
        at::Tensor update = mean / (meanSquare.sqrt() + epsilon);
        double ratio = 1;
        if (at.decayed) {
            update = update + decay * at.weights;
            ratio = at.weights.norm().item<double>() / update.norm().item<double>();
        }
        at.weights.sub_(at.rate * ratio * update);
    });
    EXPECT_LT(worst, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Groups, LambTest, testing::Bool());

TEST(LambRuleTest, AnUpdateHasTheNormOfItsWeights) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().normal_();
    const at::Tensor before = flat.weights().clone();
    createOptimizer("lamb", {})->step(flat, 0.125);
    for (const FlatParams::Slot& slot : flat.slots()) {
        const auto normOf = [&](const at::Tensor& whole) {
            return whole.narrow(0, slot.offset, slot.numel).norm().item<double>();
        };
        EXPECT_NEAR(normOf(flat.weights() - before), 0.125 * normOf(before), 1e-12);
    }
}

}  // namespace
}  // namespace dasgd
