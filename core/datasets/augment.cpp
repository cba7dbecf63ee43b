#include "core/datasets/augment.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>

#include "core/base/check.h"

namespace dasgd {

namespace {

struct Move {
    std::int64_t down = 0, right = 0;  // of the image's content, in pixels
    bool mirrored = false;
};

// One channel of height x width; `to` is black.
void movePlane(const std::uint8_t* from, std::uint8_t* to, std::int64_t height, std::int64_t width, const Move& move) {
    const std::int64_t first = std::max<std::int64_t>(0, move.right);
    const std::int64_t count = width - std::abs(move.right);
    for (std::int64_t y = std::max<std::int64_t>(0, move.down); y < height + std::min<std::int64_t>(0, move.down);
         ++y) {
        if (count <= 0) continue;
        std::uint8_t* row = to + y * width;
        std::memcpy(row + first, from + (y - move.down) * width + first - move.right, static_cast<std::size_t>(count));
    }
    if (!move.mirrored) return;
    for (std::int64_t y = 0; y < height; ++y) std::reverse(to + y * width, to + (y + 1) * width);
}

}  // namespace

double drawUnit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::int64_t drawBelow(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
}

at::Tensor shifted(const at::Tensor& images, const Augmentation& augmentation, std::uint64_t seed) {
    DASGD_CHECK(images.dim() == 4 && images.scalar_type() == torch::kByte);
    const at::Tensor source = images.contiguous();
    at::Tensor moved = torch::zeros_like(source);
    const std::int64_t channels = source.size(1), height = source.size(2), width = source.size(3);
    const auto* from = source.const_data_ptr<std::uint8_t>();
    auto* to = moved.mutable_data_ptr<std::uint8_t>();
    std::mt19937_64 random(seed);
    const std::int64_t reach = 2 * augmentation.pad + 1;
    for (std::int64_t i = 0; i < source.size(0); ++i) {
        const std::int64_t down = drawBelow(random, reach) - augmentation.pad;
        const std::int64_t right = drawBelow(random, reach) - augmentation.pad;
        const Move move{down, right, augmentation.mirror && random() % 2 == 1};
        for (std::int64_t plane = i * channels; plane < (i + 1) * channels; ++plane) {
            movePlane(from + plane * height * width, to + plane * height * width, height, width, move);
        }
    }
    return moved;
}

}  // namespace dasgd
