// Checks that classes and tokens are numbers that a network has outputs for, and that values can be trained on.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace dasgd {

struct OutOfRangeNumber {
    std::int64_t sample = 0;  // counted from 0
    std::int64_t value = 0;
};

// The first of `numbers` (integers of any type, [N, …], for N samples) outside 0 to `count` − 1; nullopt where there is
// none.
[[nodiscard]] std::optional<OutOfRangeNumber> firstOutside(const at::Tensor& numbers, std::int64_t count);

// The first sample of `numbers` ([N, …]) with a value that is NaN or not finite in float32; none where all are finite,
// or integers. Nothing as large as `numbers` is allocated.
[[nodiscard]] std::optional<std::int64_t> firstNotFinite(const at::Tensor& numbers);

}  // namespace dasgd
