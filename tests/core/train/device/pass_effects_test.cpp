#include "core/train/device/pass_effects.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/types.h>

namespace dasgd::test {
namespace {

TEST(PassEffects, AreUndone) {
    torch::nn::BatchNorm1d norm(3);
    at::Generator random = at::detail::createCPUGenerator(5);
    const at::Tensor mean = norm->running_mean.clone(), next = at::randn({4}, at::detail::createCPUGenerator(5));
    PassEffects effects(*norm, random);
    (void)norm->forward(at::randn({8, 3}, random));
    EXPECT_FALSE(norm->running_mean.equal(mean));
    EXPECT_EQ(norm->num_batches_tracked.item<std::int64_t>(), 1);
    effects.undo();
    EXPECT_TRUE(norm->running_mean.equal(mean));
    EXPECT_EQ(norm->num_batches_tracked.item<std::int64_t>(), 0);
    EXPECT_TRUE(at::randn({4}, random).equal(next)) << "the generator has drawn nothing";
}

TEST(PassEffects, OfAModelThatDrawsNothing) {
    torch::nn::BatchNorm1d norm(3);
    at::Generator none;
    PassEffects(*norm, none).undo();
    EXPECT_FALSE(none.defined());
}

}  // namespace
}  // namespace dasgd::test
