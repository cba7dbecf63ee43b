#include "core/datasets/augment.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/padding.h>
#include <torch/types.h>

#include <set>

namespace dasgd {
namespace {

at::Tensor images(std::int64_t count) {
    torch::manual_seed(3);
    return torch::randint(1, 256, {count, 2, 5, 4}, torch::kByte);
}

// Number of the move and mirroring of `image`, padded by `pad`, that gives `moved`; −1: none does.
int moveOf(const at::Tensor& image, const at::Tensor& moved, std::int64_t pad) {
    const auto options = torch::nn::functional::PadFuncOptions({pad, pad, pad, pad});
    const at::Tensor padded = torch::nn::functional::pad(image, options);
    int number = 0;
    for (std::int64_t y = 0; y <= 2 * pad; ++y) {
        for (std::int64_t x = 0; x <= 2 * pad; ++x) {
            const at::Tensor crop = padded.narrow(1, y, image.size(1)).narrow(2, x, image.size(2));
            if (crop.equal(moved)) return number;
            if (crop.flip({2}).equal(moved)) return number + 1;
            number += 2;
        }
    }
    return -1;
}

TEST(Shifted, IsACropOfThePaddedImageAndReachesAllOfThem) {
    const at::Tensor image = images(1);
    const at::Tensor moved = shifted(image.expand({600, 2, 5, 4}), {.pad = 1, .mirror = true}, 7);
    std::set<int> seen;
    for (std::int64_t i = 0; i < moved.size(0); ++i) seen.insert(moveOf(image[0], moved[i], 1));
    EXPECT_EQ(seen.count(-1), 0U);
    EXPECT_EQ(seen.size(), 18U) << "nine places, mirrored or not";
}

TEST(Shifted, DependsOnItsSeedAndLeavesTheSourceAlone) {
    const at::Tensor source = images(8), copy = source.clone();
    const Augmentation both{.pad = 2, .mirror = true};
    EXPECT_TRUE(shifted(source, both, 1).equal(shifted(source, both, 1)));
    EXPECT_FALSE(shifted(source, both, 1).equal(shifted(source, both, 2)));
    EXPECT_TRUE(source.equal(copy));
    EXPECT_TRUE(shifted(source, {}, 1).equal(source));
}

TEST(Shifted, MovesFurtherThanTheImageIsWide) {
    const at::Tensor moved = shifted(images(50), {.pad = 6}, 1);
    EXPECT_EQ(moved.sizes(), images(50).sizes());
    EXPECT_TRUE(moved.flatten(1).eq(0).all(1).any().item<bool>()) << "some lie outside altogether";
}

}  // namespace
}  // namespace dasgd
