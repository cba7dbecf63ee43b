#include "core/datasets/held_out.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dasgd {
namespace {

std::int64_t countOf(const at::Tensor& classes, const at::Tensor& samples, std::int64_t one) {
    return classes.index_select(0, samples).eq(one).sum().item<std::int64_t>();
}

TEST(HeldOutTest, EverySampleIsInOneOfTheSets) {
    for (const std::int64_t count : {0, 1, 2, 3, 10, 1001}) {
        for (const double fraction : {0.001, 0.1, 0.5, 0.999}) {
            const HeldOut sets = drawHeldOut(count, fraction);
            EXPECT_EQ(sets.test.numel(), heldOutCount(count, fraction));
            EXPECT_EQ(sets.train.numel() + sets.test.numel(), count);
            const at::Tensor all = std::get<0>(torch::cat({sets.train, sets.test}).sort());
            EXPECT_TRUE(all.equal(torch::arange(count, torch::kInt64))) << count << " " << fraction;
            EXPECT_TRUE(std::get<0>(sets.test.sort()).equal(sets.test)) << "in the order of the file";
        }
    }
    EXPECT_EQ(heldOutCount(1, 0.5), 0);
    EXPECT_EQ(heldOutCount(2, 0.001), 1);
    EXPECT_EQ(heldOutCount(2, 0.999), 1);
}

TEST(HeldOutTest, IsDrawnFromThroughoutTheFile) {
    const HeldOut sets = drawHeldOut(1000, 0.1);
    EXPECT_LT(sets.test[0].item<std::int64_t>(), 100);
    EXPECT_GT(sets.test[99].item<std::int64_t>(), 900);
    EXPECT_TRUE(sets.test.equal(drawHeldOut(1000, 0.1).test)) << "always the same";
}

// A file sorted by class would have a test set of its last class alone.
TEST(HeldOutTest, ClassesHaveTheirShareOfBothSets) {
    const at::Tensor classes = torch::cat({torch::zeros({600}), torch::ones({300}), torch::full({100}, 2.0)});
    for (const at::Tensor& order : {torch::arange(1000, torch::kInt64), torch::randperm(1000, torch::kInt64)}) {
        const at::Tensor these = classes.index_select(0, order);
        const HeldOut sets = drawHeldOut(1000, 0.1, these);
        EXPECT_EQ(sets.test.numel(), 100);
        EXPECT_NEAR(countOf(these, sets.test, 0), 60, 1);
        EXPECT_NEAR(countOf(these, sets.test, 1), 30, 1);
        EXPECT_NEAR(countOf(these, sets.test, 2), 10, 1);
    }
}

// The test set would otherwise have a class that the training set does not know.
TEST(HeldOutTest, AClassOfOneSampleIsTrainedOn) {
    const at::Tensor classes = torch::tensor({0, 0, 0, 0, 1, 2, 2, 3}, torch::kInt64);
    for (const double fraction : {0.1, 0.5, 0.9}) {
        const HeldOut sets = drawHeldOut(8, fraction, classes);
        for (const std::int64_t one : {0, 1, 2, 3}) EXPECT_GT(countOf(classes, sets.train, one), 0) << fraction;
        EXPECT_GT(sets.test.numel(), 0);
    }
    const HeldOut apart = drawHeldOut(4, 0.25, torch::arange(4, torch::kInt64));
    EXPECT_EQ(apart.test.numel(), 1) << "nothing else is left";
}

}  // namespace
}  // namespace dasgd
