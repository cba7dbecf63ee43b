// The flat optimisers against LibTorch's own on the same network, parameter by parameter, in float64.
#include "core/optimizers/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/document.h"
#include "tests/support/networks.h"

namespace dasgd {
namespace {

using test::boolean;
using test::number;
using test::table;

constexpr int kSteps = 25;
const InputSpec kInput{.shape = {6}, .classes = 4};

std::unique_ptr<Optimizer> create(const std::string& name, const Value& fields) {
    auto optimizer = OptimizerRegistry::find(name)->create(fields, {});
    EXPECT_TRUE(optimizer) << (optimizer ? "" : optimizer.error().message);
    return std::move(*optimizer);
}

std::unique_ptr<Model> network() {
    auto model = test::buildModel("mlp", kInput, table({{"hidden", test::array<std::int64_t>({7})}}));
    model->module().to(torch::kFloat64);
    return model;
}

at::Tensor flatOf(torch::nn::Module& module) {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : module.parameters()) parts.push_back(parameter.detach().flatten());
    return torch::cat(parts);
}

// Trains two equal networks on the same batches at a rate that changes every step; returns the largest relative
// difference of a weight seen after any step.
double largestDifference(
    Optimizer& ours, const std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>)>& makeTheirs,
    const std::function<void(torch::optim::Optimizer&, double)>& setRate) {
    auto model = network();
    auto reference = network();
    FlatParams flat(model->module(), at::kDouble);
    auto theirs = makeTheirs(reference->module().parameters());
    double worst = 0;
    for (int k = 0; k < kSteps; ++k) {
        const Batch batch = test::randomBatch(kInput, 8, at::kDouble);
        const double rate = 0.05 / (1 + 0.1 * k);
        flat.gradients().zero_();
        model->loss(batch).backward();
        ours.step(flat, rate);

        theirs->zero_grad();
        reference->loss(batch).backward();
        setRate(*theirs, rate);
        theirs->step();
        const at::Tensor expected = flatOf(reference->module());
        const at::Tensor difference = (flat.weights() - expected).abs() / expected.abs().clamp_min(1e-3);
        worst = std::max(worst, difference.max().item<double>());
    }
    return worst;
}

struct SgdCase {
    const char* name;
    double momentum, dampening, weightDecay;
    bool nesterov;
};

class SgdTest : public testing::TestWithParam<SgdCase> {};

TEST_P(SgdTest, MatchesTorch) {
    const SgdCase& c = GetParam();
    auto ours = create("sgd", table({{"momentum", number(c.momentum)},
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

class AdamwTest : public testing::TestWithParam<double> {};

TEST_P(AdamwTest, MatchesTorch) {
    const double decay = GetParam();
    auto ours = create("adamw", table({{"weight_decay", number(decay)}, {"beta2", number(0.99)}}));
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

TEST(OptimizerTest, TheFirstStepIgnoresDampening) {
    auto model = network();
    FlatParams flat(model->module(), at::kDouble);
    const at::Tensor before = flat.weights().clone();
    flat.gradients().fill_(2);
    create("sgd", table({{"dampening", number(0.75)}}))->step(flat, 0.5);
    EXPECT_TRUE(flat.weights().equal(before - 1));
}

TEST(OptimizerTest, LeavesTheGradientAlone) {
    auto model = network();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().fill_(2);
    create("sgd", table({{"weight_decay", number(0.1)}, {"nesterov", boolean(true)}}))->step(flat, 0.5);
    create("adamw", {})->step(flat, 0.5);
    EXPECT_TRUE(flat.gradients().eq(2).all().item<bool>());
}

TEST(OptimizerTest, StateIsFlatAndComesWithTheFirstStep) {
    auto model = network();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().fill_(2);
    auto sgd = create("sgd", {});
    EXPECT_TRUE(sgd->state().empty());
    sgd->step(flat, 0.1);
    ASSERT_EQ(sgd->state().size(), 1U);
    EXPECT_TRUE(sgd->state()[0].eq(2).all().item<bool>());

    auto adamw = create("adamw", {});
    EXPECT_TRUE(adamw->state().empty());
    adamw->step(flat, 0.1);
    ASSERT_EQ(adamw->state().size(), 2U);
    EXPECT_EQ(adamw->state()[1].sizes(), flat.weights().sizes());

    auto plain = create("sgd", table({{"momentum", number(0)}}));
    plain->step(flat, 0.1);
    EXPECT_TRUE(plain->state().empty());
}

TEST(OptimizerTest, AResetOptimiserIsANewOne) {
    for (const char* name : {"sgd", "adamw"}) {
        const Value fields = std::string(name) == "sgd" ? table({{"dampening", number(0.3)}}) : Value();
        auto model = network();
        FlatParams flat(model->module(), at::kDouble);
        const auto used = create(name, fields), fresh = create(name, fields);
        const auto after = [&](Optimizer& optimizer, const std::vector<double>& gradients) {
            for (const double gradient : gradients) {
                flat.gradients().fill_(gradient);
                optimizer.step(flat, 0.1);
            }
            return flat.weights().clone();
        };
        (void)after(*used, {5, -3});
        ASSERT_EQ(static_cast<std::int64_t>(used->state().size()), used->stateTensors());
        used->reset();
        EXPECT_TRUE(used->state().empty());
        flat.weights().zero_();
        const at::Tensor expected = after(*fresh, {1, 2, -1});
        flat.weights().zero_();
        EXPECT_TRUE(after(*used, {1, 2, -1}).equal(expected)) << name;
    }
    EXPECT_EQ(create("sgd", table({{"momentum", number(0)}}))->stateTensors(), 0);
}

TEST(OptimizerTest, DefaultsAreTheDocumentedOnes) {
    EXPECT_EQ(create("sgd", {})->learningRate(), 0.05);
    EXPECT_EQ(create("adamw", {})->learningRate(), 0.001);
}

TEST(OptimizerTest, NesterovWithoutMomentumIsRefused) {
    const auto refused =
        OptimizerRegistry::find("sgd")->create(table({{"nesterov", boolean(true)}, {"momentum", number(0)}}), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("nesterov needs momentum > 0"));
}

// Float32 is what training uses: the same comparison at its resolution, over vector lanes and the scalar rest alike.
TEST(OptimizerTest, SinglePrecisionMatchesTheFormula) {
    auto model = test::buildModel("logistic", {.shape = {1000}, .classes = 3});
    FlatParams flat(model->module(), at::kFloat);
    auto sgd = create("sgd", table({{"weight_decay", number(0.01)}, {"nesterov", boolean(true)}}));
    at::Tensor w = flat.weights().to(torch::kFloat64);
    at::Tensor v = torch::zeros_like(w);
    for (int k = 0; k < kSteps; ++k) {
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
