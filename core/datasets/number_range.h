// Whether classes and tokens are numbers that a network has outputs for.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace dasgd {

struct NumberOutside {
    std::int64_t sample = 0;  // from 0 on
    std::int64_t value = 0;
};

// The first of `numbers` (integers of any type, [N, …]: of N samples) that is none of 0 to `count` − 1; none where all
// are.
[[nodiscard]] std::optional<NumberOutside> firstOutside(const at::Tensor& numbers, std::int64_t count);

}  // namespace dasgd
