#include "core/datasets/augment.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/check.h"
#include "core/gpu/copied_to.h"

namespace dasgd {

namespace {

struct Move {
    std::int64_t down = 0, right = 0;  // by how much the image's content moves, in pixels
    bool mirrored = false;
};

// Moves one channel of height x width; `to` is black before.
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

std::vector<Move> drawMoves(std::int64_t count, const Augmentation& augmentation, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::int64_t reach = 2 * augmentation.pad + 1;
    std::vector<Move> moves;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t down = drawBelow(random, reach) - augmentation.pad;
        const std::int64_t right = drawBelow(random, reach) - augmentation.pad;
        moves.push_back({down, right, augmentation.mirror && random() % 2 == 1});
    }
    return moves;
}

// Moves images on the CPU.
at::Tensor movedByRows(const at::Tensor& source, const std::vector<Move>& moves) {
    at::Tensor moved = torch::zeros_like(source);
    const std::int64_t channels = source.size(1), height = source.size(2), width = source.size(3);
    const auto* from = source.const_data_ptr<std::uint8_t>();
    auto* to = moved.mutable_data_ptr<std::uint8_t>();
    std::int64_t plane = 0;
    for (const Move& move : moves) {
        for (std::int64_t channel = 0; channel < channels; ++channel, ++plane) {
            movePlane(from + plane * height * width, to + plane * height * width, height, width, move);
        }
    }
    return moved;
}

// Moves images on a device, by the source position of each pixel, [B, extent], -1 where it is black.
at::Tensor movedByIndices(const at::Tensor& images, const std::vector<Move>& moves) {
    const std::int64_t channels = images.size(1), height = images.size(2), width = images.size(3);
    at::Tensor rows = torch::empty({images.size(0), height}, torch::kLong);
    at::Tensor columns = torch::empty({images.size(0), width}, torch::kLong);
    auto* row = rows.mutable_data_ptr<std::int64_t>();
    auto* column = columns.mutable_data_ptr<std::int64_t>();
    const auto orBlack = [](std::int64_t place, std::int64_t extent) {
        return place >= 0 && place < extent ? place : -1;
    };
    for (const Move& move : moves) {
        for (std::int64_t y = 0; y < height; ++y) *row++ = orBlack(y - move.down, height);
        for (std::int64_t x = 0; x < width; ++x) {
            *column++ = orBlack((move.mirrored ? width - 1 - x : x) - move.right, width);
        }
    }
    const at::Tensor fromRow = copiedTo(rows, images.device()).view({-1, 1, height, 1});
    const at::Tensor fromColumn = copiedTo(columns, images.device()).view({-1, 1, 1, width});
    const at::Tensor moved = images.gather(2, fromRow.clamp_min(0).expand({-1, channels, height, width}))
                                 .gather(3, fromColumn.clamp_min(0).expand({-1, channels, height, width}));
    return moved.mul_(fromRow.ge(0).logical_and(fromColumn.ge(0)));
}

}  // namespace

double drawUnit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::int64_t drawBelow(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
}

at::Tensor shifted(const at::Tensor& images, const Augmentation& augmentation, std::uint64_t seed) {
    DASGD_CHECK(images.dim() == 4 && images.scalar_type() == torch::kByte);
    const std::vector<Move> moves = drawMoves(images.size(0), augmentation, seed);
    return images.is_cpu() ? movedByRows(images.contiguous(), moves) : movedByIndices(images, moves);
}

}  // namespace dasgd
