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

const InputSpec kNatural{.shape = {3, 8, 8}, .classes = 10};

Splits load(const Value& fields) {
    auto set = DatasetRegistry::find("synthetic")->create(fields, {});
    return set.value()->load(kNatural).value();
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
    auto set =
        DatasetRegistry::find("synthetic")->create(table({{"shape", array<std::int64_t>({65536, 65536})}}), {}).value();
    const auto splits = set->load(kNatural);
    ASSERT_FALSE(splits);
    EXPECT_THAT(splits.error().message, testing::HasSubstr("lower train_samples"));
}

}  // namespace
}  // namespace dasgd
