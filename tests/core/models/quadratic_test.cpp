#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "core/models/model.h"
#include "tests/support/document.h"
#include "tests/support/model_trials.h"

namespace dasgd {
namespace {

using test::array;
using test::matrix;
using test::number;
using test::table;
using testing::HasSubstr;

Value bowl() {
    return table({{"matrix", matrix({{2, 0.5}, {0.5, 1}})},
                  {"targets", matrix({{1, 2}, {-1, 4}, {0, 0}})},
                  {"start", array<double>({3, -1})}});
}

Result<std::unique_ptr<Model>> create(const Value& fields) {
    return ModelRegistry::find("quadratic")->create(fields, {});
}

std::unique_ptr<Model> built(const Value& fields, int rank, int workers = 3) {
    auto model = create(fields).value();
    EXPECT_TRUE(model->build({.rank = Rank{rank}, .workers = workers}));
    return model;
}

at::Tensor weightOf(Model& model) { return model.module().parameters().at(0); }

at::Tensor gradientOf(Model& model) {
    at::Tensor w = weightOf(model);
    w.mutable_grad() = at::Tensor();
    model.loss({}).backward();
    return w.grad().clone();
}

// Values by hand: w − b = (2, −3); A(w − b) = (2.5, −2); half their product = 5.5.
TEST(QuadraticTest, ValueAndGradientAreThoseOfTheFormula) {
    auto model = built(bowl(), 0);
    EXPECT_DOUBLE_EQ(model->loss({}).item<double>(), 5.5);
    EXPECT_TRUE(gradientOf(*model).equal(torch::tensor({2.5, -2.0}, torch::kFloat64)));
}

TEST(QuadraticTest, GradientMatchesFiniteDifferences) {
    auto model = built(bowl(), 1);
    const at::Tensor gradient = gradientOf(*model);
    constexpr double kStep = 1e-4;
    for (int i = 0; i < 2; ++i) {
        const at::NoGradGuard noGrad;
        at::Tensor entry = weightOf(*model)[i];
        entry.add_(kStep);
        const double above = model->loss({}).item<double>();
        entry.sub_(2 * kStep);
        const double below = model->loss({}).item<double>();
        entry.add_(kStep);
        EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-8);
    }
}

TEST(QuadraticTest, MeanOfTheRanksEvaluationsIsTheObjective) {
    double sum = 0;
    for (int rank = 0; rank < 3; ++rank) {
        const Evaluation own = built(bowl(), rank)->evaluate({});
        EXPECT_EQ(own.samples, 1);
        sum += own.lossSum;
    }
    // f_0 = 5.5, f_1: (4, −5) → 16 + 12.5 − 10 = 18.5, f_2: (3, −1) → 9 + 0.5 − 1.5 = 8.
    EXPECT_DOUBLE_EQ(sum, 5.5 + 18.5 + 8);
}

TEST(QuadraticTest, StartsAtTheOriginWhereNoStartIsGiven) {
    Value fields = bowl();
    fields.erase("start");
    auto model = built(fields, 0);
    EXPECT_TRUE(weightOf(*model).equal(torch::zeros({2}, torch::kFloat64)));
}

TEST(QuadraticTest, FollowsTheTypeOfItsWeights) {
    auto model = built(bowl(), 0);
    model->module().to(torch::kFloat32);
    EXPECT_EQ(model->loss({}).scalar_type(), torch::kFloat32);
    EXPECT_FLOAT_EQ(model->loss({}).item<float>(), 5.5F);
}

TEST(QuadraticTest, NoiseChangesTheGradientNotTheValue) {
    Value fields = bowl();
    fields.set("noise", number(0.5));
    at::manual_seed(7);
    auto model = built(fields, 0);
    EXPECT_DOUBLE_EQ(model->loss({}).item<double>(), 5.5);

    constexpr int kDraws = 4000;
    at::Tensor sum = torch::zeros({2}, torch::kFloat64);
    at::Tensor squares = torch::zeros({2}, torch::kFloat64);
    const at::Tensor exact = torch::tensor({2.5, -2.0}, torch::kFloat64);
    for (int k = 0; k < kDraws; ++k) {
        const at::Tensor noise = gradientOf(*model) - exact;
        sum += noise;
        squares += noise.square();
    }
    // Standard errors: 0.5/√4000 = 0.008 of the mean, 0.25·√(2/4000) = 0.0056 of the variance; five of each.
    EXPECT_TRUE((sum / kDraws).abs().lt(0.04).all().item<bool>()) << sum / kDraws;
    EXPECT_TRUE((squares / kDraws - 0.25).abs().lt(0.028).all().item<bool>()) << squares / kDraws;
}

TEST(QuadraticTest, NoiseDiffersByRankAndRepeatsBySeed) {
    Value fields = bowl();
    fields.set("noise", number(1.0));
    const auto firstNoise = [&](std::uint64_t seed, int rank) {
        at::manual_seed(seed);
        auto model = built(fields, rank);
        const at::Tensor noisy = gradientOf(*model);
        auto calm = built(bowl(), rank);
        return at::Tensor(noisy - gradientOf(*calm));
    };
    EXPECT_TRUE(firstNoise(1, 0).allclose(firstNoise(1, 0), 0, 1e-12));
    EXPECT_FALSE(firstNoise(1, 0).allclose(firstNoise(1, 1), 0, 1e-3));
    EXPECT_FALSE(firstNoise(1, 0).allclose(firstNoise(2, 0), 0, 1e-3));
}

TEST(QuadraticTest, ItsNoiseGoesOnFromASavedState) {
    Value fields = bowl();
    fields.set("noise", number(1.0));
    at::manual_seed(3);
    auto first = built(fields, 0);
    gradientOf(*first);
    const std::vector<at::Tensor> saved = first->passState();
    const at::Tensor next = gradientOf(*first);
    auto second = built(fields, 0);
    ASSERT_TRUE(second->setPassState(saved));
    EXPECT_TRUE(gradientOf(*second).equal(next));
    EXPECT_FALSE(second->setPassState({}));
    EXPECT_FALSE(second->setPassState({torch::zeros({3})}));
    EXPECT_TRUE(built(bowl(), 0)->passState().empty()) << "without noise nothing goes on";
}

TEST(QuadraticTest, NeedsNoData) { EXPECT_TRUE(create(bowl()).value()->naturalInput().shape.empty()); }

TEST(QuadraticTest, KeepsMatrixAndTargetOutOfTheBuffers) { EXPECT_TRUE(built(bowl(), 0)->module().buffers().empty()); }

TEST(QuadraticTest, RefusesWhatDoesNotFit) {
    Value bad = bowl();
    bad.set("matrix", matrix({{1, 0}, {0}}));
    EXPECT_THAT(create(bad).error().message, HasSubstr("matrix must be square"));
    bad = bowl();
    bad.set("targets", matrix({{1, 2, 3}}));
    EXPECT_THAT(create(bad).error().message, HasSubstr("row of targets has 3 numbers; matrix asks for 2"));
    bad = bowl();
    bad.set("start", array<double>({1}));
    EXPECT_THAT(create(bad).error().message, HasSubstr("start has 1 numbers; matrix asks for 2"));
    EXPECT_THAT(create(Value()).error().message, HasSubstr("needs a matrix"));
    bad = bowl();
    bad.erase("targets");
    EXPECT_THAT(create(bad).error().message, HasSubstr("needs targets"));
}

TEST(QuadraticTest, RefusesMoreWorkersThanTargets) {
    auto model = create(bowl()).value();
    const Status status = model->build({.rank = Rank{0}, .workers = 4});
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("3 targets for 4 workers"));
}

const test::ModelTrial::Add kQuadraticTrial{{.model = "quadratic",
                                             .fields = test::table({{"matrix", test::matrix({{1, 0}, {0, 2}})},
                                                                    {"targets", test::matrix({{1, 1}})},
                                                                    {"noise", test::number(0.3)}})}};

}  // namespace
}  // namespace dasgd
