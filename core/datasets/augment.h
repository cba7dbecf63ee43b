// What is drawn for images of a training set.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <random>

#include "core/datasets/samples.h"

namespace dasgd {

// Draws from the generator's own bits, so that they depend on no library's distribution: in [0, 1), and in 0 ..
// count−1.
[[nodiscard]] double drawUnit(std::mt19937_64& random);
[[nodiscard]] std::int64_t drawBelow(std::mt19937_64& random, std::int64_t count);

// Images in bytes, [B, C, H, W], each moved and mirrored by its own draw. A copy, where the images are; what is drawn
// and what comes of it is the same on every device.
[[nodiscard]] at::Tensor shifted(const at::Tensor& images, const Augmentation& augmentation, std::uint64_t seed);

}  // namespace dasgd
