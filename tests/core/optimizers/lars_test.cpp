#include <gtest/gtest.h>

#include "core/optimizers/optimizer.h"
#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

class LarsTest : public testing::TestWithParam<bool> {};

// Algorithm 1 of arXiv 1708.03888, with the rate of the present step inside the velocity.
TEST_P(LarsTest, MatchesThePaper) {
    const double momentum = 0.8, decay = 0.01, trust = 0.1;
    auto ours = createOptimizer("lars", table({{"momentum", number(momentum)},
                                               {"weight_decay", number(decay)},
                                               {"trust_coefficient", number(trust)},
                                               {"no_decay", text(noDecayOf(GetParam()))}}));
    const double worst = largestDifferenceFromRule(*ours, kOptimizerSteps, GetParam(), [&](const RuleStep& at) {
        if (at.state.empty()) at.state.push_back(torch::zeros_like(at.weights));
        double ratio = 1;
        at::Tensor direction = at.gradient;
        if (at.decayed) {
            const double weights = at.weights.norm().item<double>(), gradient = at.gradient.norm().item<double>();
            ratio = trust * weights / (gradient + decay * weights);
            direction = at.gradient + decay * at.weights;
        }
        at.state[0] = momentum * at.state[0] + at.rate * ratio * direction;
        at.weights.sub_(at.state[0]);
    });
    EXPECT_LT(worst, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Groups, LarsTest, testing::Bool());

TEST(LarsRuleTest, AnUpdateHasTheNormThatTheTrustCoefficientSays) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().normal_();
    const at::Tensor before = flat.weights().clone();
    createOptimizer("lars", table({{"trust_coefficient", number(0.02)}}))->step(flat, 0.5);
    for (const FlatParams::Slot& slot : flat.slots()) {
        const auto normOf = [&](const at::Tensor& whole) {
            return whole.narrow(0, slot.offset, slot.numel).norm().item<double>();
        };
        EXPECT_NEAR(normOf(flat.weights() - before), 0.5 * 0.02 * normOf(before), 1e-12);
    }
}

TEST(LarsRuleTest, WeightsThatAreZeroAreNotStuck) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.weights().zero_();
    flat.gradients().fill_(2);
    createOptimizer("lars", {})->step(flat, 0.5);
    EXPECT_TRUE(flat.weights().eq(-1).all().item<bool>());
}

}  // namespace
}  // namespace dasgd
