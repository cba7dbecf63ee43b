#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"

namespace dasgd {
namespace {

using test::array;
using test::integer;
using test::number;
using test::table;

const InputSpec kDrawn{.shape = {3, 8, 8}, .classes = 10};

Splits load(const Value& fields) {
    auto set = DatasetRegistry::find("synthetic")->create(fields, {});
    return set.value()->load(kDrawn).value();
}

TEST(SyntheticTest, TakesTheModelsInputUnlessToldOtherwise) {
    const Splits natural = load(table({{"train_samples", integer(30)}, {"test_samples", integer(20)}}));
    EXPECT_EQ(natural.train.inputs.sizes(), at::IntArrayRef({30, 3, 8, 8}));
    EXPECT_EQ(natural.test.count(), 20);
    EXPECT_TRUE(torch::bincount(natural.train.targets).eq(3).all().item<bool>());

    const Splits own = load(table({{"shape", array<std::int64_t>({5})}, {"classes", integer(3)}}));
    EXPECT_EQ(own.input.shape, (std::vector<std::int64_t>{5}));
    EXPECT_EQ(own.input.classes, 3);
    EXPECT_EQ(own.train.inputs.size(1), 5);
    EXPECT_EQ(own.train.targets.max().item<std::int64_t>(), 2);
}

TEST(SyntheticTest, DependsOnItsSeedAlone) {
    torch::manual_seed(1);
    const Splits first = load({});
    torch::manual_seed(2);
    const Splits second = load({});
    EXPECT_TRUE(first.train.inputs.equal(second.train.inputs));
    EXPECT_TRUE(first.test.inputs.equal(second.test.inputs));
    EXPECT_FALSE(first.train.inputs.equal(load(table({{"seed", integer(2)}})).train.inputs));
}

// Class means of the training set classify the test set: there is something to learn, and it carries over.
TEST(SyntheticTest, WhatTheTrainingSetTeachesHoldsOnTheTestSet) {
    const Splits splits = load(table({{"noise", number(1.0)}}));
    const at::Tensor x = splits.train.inputs.flatten(1);
    const at::Tensor onehot = torch::one_hot(splits.train.targets, 10).to(torch::kFloat32);
    const at::Tensor means = onehot.t().mm(x) / onehot.sum(0).unsqueeze(1);
    const at::Tensor guess = torch::cdist(splits.test.inputs.flatten(1), means).argmin(1);
    EXPECT_GT(guess.eq(splits.test.targets).to(torch::kFloat32).mean().item<double>(), 0.95);
}

TEST(SyntheticTest, NoiseZeroGivesThePrototypes) {
    const Splits splits = load(table({{"noise", number(0.0)}}));
    EXPECT_TRUE(splits.train.inputs[0].equal(splits.train.inputs[10]));
    EXPECT_FALSE(splits.train.inputs[0].equal(splits.train.inputs[1]));
}

TEST(SyntheticTest, RefusesWhatNoMemoryHolds) {
    const Value large = array<std::int64_t>({65536, 65536}), one = array<std::int64_t>({65536});
    for (const Value& fields : {table({{"shape", large}}), table({{"shape", one}, {"classes", integer(1'000'000)}})}) {
        const auto splits = DatasetRegistry::find("synthetic")->create(fields, {}).value()->load(kDrawn);
        ASSERT_FALSE(splits);
        EXPECT_THAT(splits.error().message, testing::HasSubstr("lower train_samples"));
    }
}

TEST(SyntheticTest, ValuesAreALinearMapOfTheInputs) {
    const InputSpec values{.shape = {6}, .classes = 2, .task = Task::kRegression};
    const auto set = DatasetRegistry::find("synthetic")->create(table({{"noise", number(0.0)}}), {}).value();
    EXPECT_FALSE(set->isContinuous(values));
    const Splits splits = set->load(values).value();
    EXPECT_EQ(splits.train.task(), Task::kRegression);
    EXPECT_EQ(splits.train.targets.sizes(), at::IntArrayRef({4096, 2}));
    // The map of the training set, by least squares, is that of the test set.
    const at::Tensor x = splits.train.inputs.to(torch::kDouble), y = splits.train.targets.to(torch::kDouble);
    const at::Tensor map = torch::linalg_solve(x.t().mm(x), x.t().mm(y));
    const at::Tensor predicted = splits.test.inputs.to(torch::kDouble).mm(map);
    EXPECT_LT((predicted - splits.test.targets.to(torch::kDouble)).abs().max().item<double>(), 1e-4);
    EXPECT_NEAR(splits.test.targets.std().item<double>(), 1, 0.5);
}

TEST(SyntheticTest, TextHasOneSuccessorATokenButForTheNoise) {
    const InputSpec tokens{.shape = {16}, .classes = 12, .task = Task::kLanguage};
    const auto load = [&](double noise) {
        const auto set = DatasetRegistry::find("synthetic")->create(table({{"noise", number(noise)}}), {}).value();
        EXPECT_TRUE(set->isContinuous(tokens));
        return set->load(tokens).value();
    };
    const Splits plain = load(0), noisy = load(1);
    EXPECT_EQ(plain.train.task(), Task::kLanguage);
    EXPECT_TRUE(plain.train.continuous);
    EXPECT_EQ(plain.train.inputs.sizes(), at::IntArrayRef({4096, 16}));
    const auto pairs = [](const Samples& samples) {
        const at::Tensor code = samples.inputs.to(torch::kLong) * 12 + samples.targets.to(torch::kLong);
        return torch::bincount(code.flatten(), {}, 144).view({12, 12});
    };
    EXPECT_TRUE((pairs(plain.train) > 0).sum(1).le(1).all().item<bool>()) << "one successor";
    const at::Tensor counts = pairs(noisy.train).to(torch::kDouble);
    const at::Tensor share = std::get<0>(counts.max(1)) / counts.sum(1);
    // The successor comes one half of the time, and one time in 24 by chance.
    EXPECT_LT((share - (0.5 + 0.5 / 12)).abs().max().item<double>(), 0.05);
}

TEST(SyntheticTest, TextTakesOneExtent) {
    const InputSpec tokens{.shape = {16}, .classes = 12, .task = Task::kLanguage};
    const auto set =
        DatasetRegistry::find("synthetic")->create(table({{"shape", array<std::int64_t>({2, 8})}}), {}).value();
    const auto splits = set->load(tokens);
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message, testing::HasSubstr("shape = [64]"));
}

}  // namespace
}  // namespace dasgd
