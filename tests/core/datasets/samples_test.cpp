#include "core/datasets/samples.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/support/selected_samples.h"

namespace dasgd {
namespace {

const at::Tensor kPick = torch::tensor({2, 0}, torch::kInt64);

TEST(MakeBatch, ScalesPixelsByChannelAndKeepsTheStoredBytes) {
    Samples samples;
    samples.inputs = torch::arange(3 * 2 * 2 * 2, torch::kByte).view({3, 2, 2, 2});
    samples.targets = torch::tensor({4, 5, 6}, torch::kInt64);
    samples.scale = {{0.5, 0.25}, {0.5, 0.1}};
    const Batch batch = makeBatch(samples, kPick, torch::kDouble);
    EXPECT_EQ(batch.inputs.scalar_type(), torch::kDouble);
    EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({2, 2, 2, 2}));
    EXPECT_TRUE(batch.targets.equal(torch::tensor({6, 4}, torch::kInt64)));
    // Sample 2 has the bytes 16 to 23, four a channel.
    EXPECT_NEAR(batch.inputs[0][0][0][1].item<double>(), (17 / 255.0 - 0.5) / 0.5, 1e-6);
    EXPECT_NEAR(batch.inputs[0][1][1][1].item<double>(), (23 / 255.0 - 0.25) / 0.1, 1e-6);
    EXPECT_EQ(samples.inputs.scalar_type(), torch::kByte);
}

TEST(MakeBatch, GivesFloatingTargetsThePrecisionOfTheRun) {
    Samples samples;
    samples.inputs = torch::randn({3, 4});
    samples.targets = torch::randn({3, 2});
    EXPECT_EQ(samples.task(), Task::kRegression);
    const Batch batch = makeBatch(samples, kPick, torch::kDouble);
    EXPECT_EQ(batch.targets.scalar_type(), torch::kDouble);
    EXPECT_TRUE(batch.targets.to(torch::kFloat).equal(samples.targets.index_select(0, kPick)));
    EXPECT_TRUE(batch.inputs.to(torch::kFloat).equal(samples.inputs.index_select(0, kPick)));
}

TEST(Selected, NamesSamplesWithoutACopyOfTheirInputs) {
    Samples samples;
    samples.inputs = torch::arange(5 * 16, torch::kByte).view({5, 1, 4, 4});
    samples.targets = torch::arange(5, torch::kInt64);
    samples.scale = {{0.5}, {0.5}};
    test::expectSelects(samples, SampleUse::kTraining);
    test::expectSelects(samples, SampleUse::kEvaluation);
    samples.augmentation = {.pad = 1, .mirror = true};
    test::expectSelects(samples, SampleUse::kTraining);
    const Samples judged = selected(samples, kPick, SampleUse::kEvaluation);
    EXPECT_TRUE(judged.inputs.is_alias_of(samples.inputs));
    EXPECT_FALSE(judged.augmentation.any()) << "nothing is drawn in evaluation";
    EXPECT_TRUE(samples.augmentation.any());
}

TEST(CutText, PredictsTheNextTokenAtEachPlaceWithoutACopy) {
    const at::Tensor tokens = torch::arange(11, torch::kByte);
    const Samples samples = cutText(tokens, 3);
    EXPECT_EQ(samples.count(), 3) << "the last token follows the last place";
    EXPECT_EQ(samples.task(), Task::kLanguage);
    EXPECT_TRUE(samples.inputs.is_alias_of(tokens));
    const Batch batch = makeBatch(samples, kPick, torch::kFloat);
    EXPECT_TRUE(batch.inputs.equal(torch::tensor({{6, 7, 8}, {0, 1, 2}}, torch::kInt64)));
    EXPECT_TRUE(batch.targets.equal(torch::tensor({{7, 8, 9}, {1, 2, 3}}, torch::kInt64)));
    EXPECT_EQ(cutText(torch::arange(10, torch::kByte), 3).count(), 3);
    EXPECT_EQ(cutText(torch::arange(3, torch::kByte), 3).count(), 0) << "nothing to predict after the third";
}

TEST(InRows, EachRowGoesOnWhereItEndedInTheBatchBefore) {
    const at::Tensor order = inRows(torch::arange(10, torch::kInt64), 3, 3).view({3, 3});  // batch by row
    EXPECT_TRUE(order.equal(torch::tensor({{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, torch::kInt64)));
}

}  // namespace
}  // namespace dasgd
