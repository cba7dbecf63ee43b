// Levels of a tree over n ≥ 1 ranks.
#pragma once

#include <bit>

namespace dasgd {

constexpr int floorLog2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }
constexpr int ceilLog2(int n) { return n == 1 ? 0 : floorLog2(n - 1) + 1; }

static_assert(floorLog2(1) == 0 && floorLog2(8) == 3 && floorLog2(9) == 3);
static_assert(ceilLog2(1) == 0 && ceilLog2(2) == 1 && ceilLog2(8) == 3 && ceilLog2(9) == 4);

}  // namespace dasgd
