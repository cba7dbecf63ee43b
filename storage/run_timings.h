// Figures across ranks from a window of spans: skew of arrivals, inflation of compute, the straggler.
#pragma once

#include <optional>
#include <span>

#include "storage/run_reader.h"

namespace dasgd::storage {

struct RunTimings {
    std::optional<double> skewS;
    std::optional<double> inflation;
    std::optional<int> stragglerRank;
    std::optional<double> stragglerExcess;
};

// `spans` of any ranks in any order. Definitions: storage/format.md.
[[nodiscard]] RunTimings timingsOf(std::span<const SpanRow> spans);

}  // namespace dasgd::storage
