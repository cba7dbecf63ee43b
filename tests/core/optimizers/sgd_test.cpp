#include "core/optimizers/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

struct SgdCase {
    const char* name;
    double momentum, dampening, weightDecay;
    bool nesterov;
};

class SgdTest : public testing::TestWithParam<SgdCase> {};

TEST_P(SgdTest, MatchesTorch) {
    const SgdCase& c = GetParam();
    auto ours = createOptimizer("sgd", table({{"momentum", number(c.momentum)},
                                              {"dampening", number(c.dampening)},
                                              {"weight_decay", number(c.weightDecay)},
                                              {"nesterov", boolean(c.nesterov)}}));
    const auto options = torch::optim::SGDOptions(0.05)
                             .momentum(c.momentum)
                             .dampening(c.dampening)
                             .weight_decay(c.weightDecay)
                             .nesterov(c.nesterov);
    const double worst = largestDifference(
        *ours,
        [&](std::vector<at::Tensor> parameters) { return std::make_unique<torch::optim::SGD>(parameters, options); },
        [](torch::optim::Optimizer& optimizer, double rate) {
            static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options()).lr(rate);
        });
    EXPECT_LT(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    All, SgdTest,
    testing::Values(SgdCase{"Plain", 0, 0, 0, false}, SgdCase{"Decay", 0, 0, 0.01, false},
                    SgdCase{"Momentum", 0.9, 0, 0, false}, SgdCase{"MomentumDecay", 0.9, 0, 0.01, false},
                    SgdCase{"Dampening", 0.9, 0.5, 0.01, false}, SgdCase{"FullDampening", 0.9, 1, 0, false},
                    SgdCase{"Nesterov", 0.9, 0, 0, true}, SgdCase{"NesterovDecay", 0.5, 0, 0.01, true}),
    [](const auto& parameters) { return parameters.param.name; });

TEST(SgdRuleTest, TheFirstStepIgnoresDampening) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    const at::Tensor before = flat.weights().clone();
    flat.gradients().fill_(2);
    createOptimizer("sgd", table({{"dampening", number(0.75)}}))->step(flat, 0.5);
    EXPECT_TRUE(flat.weights().equal(before - 1));
}

class SgdGroupsTest : public testing::TestWithParam<SgdCase> {};

// The rule of torch.optim.SGD, one parameter at a time.
TEST_P(SgdGroupsTest, BiasesAreLeftOutOfTheDecay) {
    const SgdCase& c = GetParam();
    auto ours = createOptimizer("sgd", table({{"momentum", number(c.momentum)},
                                              {"dampening", number(c.dampening)},
                                              {"weight_decay", number(c.weightDecay)},
                                              {"nesterov", boolean(c.nesterov)},
                                              {"no_decay", text("bias-norm")}}));
    const double worst = largestDifferenceFromRule(*ours, kOptimizerSteps, true, [&](const RuleStep& at) {
        const at::Tensor g = at.decayed ? at.gradient + c.weightDecay * at.weights : at.gradient.clone();
        if (at.state.empty()) {
            at.state.push_back(g);
        } else {
            at.state[0] = c.momentum * at.state[0] + (1 - c.dampening) * g;
        }
        at.weights.sub_(at.rate * (c.nesterov ? g + c.momentum * at.state[0] : at.state[0]));
    });
    EXPECT_LT(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, SgdGroupsTest,
                         testing::Values(SgdCase{"Plain", 0, 0, 0.1, false}, SgdCase{"Momentum", 0.9, 0, 0.1, false},
                                         SgdCase{"Dampening", 0.9, 0.5, 0.1, false},
                                         SgdCase{"Nesterov", 0.9, 0, 0.1, true}),
                         [](const auto& parameters) { return parameters.param.name; });

TEST(SgdRuleTest, NesterovWithoutMomentumIsRefused) {
    const auto refused =
        OptimizerRegistry::find("sgd")->create(table({{"nesterov", boolean(true)}, {"momentum", number(0)}}), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("nesterov needs momentum > 0"));
}

// Float32 is what training uses: the same comparison at its resolution, over vector lanes and the scalar rest alike.
TEST(SgdRuleTest, SinglePrecisionMatchesTheFormula) {
    auto model = buildModel("logistic", {.shape = {1000}, .classes = 3});
    FlatParams flat(model->module(), at::kFloat);
    auto sgd = createOptimizer("sgd", table({{"weight_decay", number(0.01)}, {"nesterov", boolean(true)}}));
    at::Tensor w = flat.weights().to(torch::kFloat64);
    at::Tensor v = torch::zeros_like(w);
    for (int k = 0; k < 25; ++k) {  // float32 rounds away more with every step
        flat.gradients().copy_(torch::randn({flat.size()}));
        const at::Tensor g = flat.gradients().to(torch::kFloat64) + 0.01 * w;
        v = k == 0 ? g.clone() : 0.9 * v + g;
        w = w - 0.05 * (g + 0.9 * v);
        sgd->step(flat, 0.05);
    }
    EXPECT_TRUE(flat.weights().to(torch::kFloat64).allclose(w, 1e-5, 1e-6));
}

}  // namespace
}  // namespace dasgd
