// The test set of data that come as one file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/datasets/samples.h"

namespace dasgd {

// How many samples at the end of `count` are the test set: `fraction` of them, at least one of two or more, never all.
inline std::int64_t heldOut(std::int64_t count, double fraction) {
    if (count < 2) return 0;
    const auto tests = static_cast<std::int64_t>(std::llround(static_cast<double>(count) * fraction));
    return std::min(std::max<std::int64_t>(tests, 1), count - 1);
}

}  // namespace dasgd
