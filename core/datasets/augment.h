// Random augmentation of a training set's images.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <random>

#include "core/datasets/samples.h"

namespace dasgd {

// Draws from the generator's own bits, so that the numbers depend on no library's distribution: in [0, 1), and in 0 ..
// count−1.
[[nodiscard]] double drawUnit(std::mt19937_64& random);
[[nodiscard]] std::int64_t drawBelow(std::mt19937_64& random, std::int64_t count);

// Moves and mirrors images in bytes, [B, C, H, W], each by its own draw. Returns a copy, on the same device; the draws
// and the result are the same on every device.
[[nodiscard]] at::Tensor shifted(const at::Tensor& images, const Augmentation& augmentation, std::uint64_t seed);

}  // namespace dasgd
