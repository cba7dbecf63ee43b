#include "core/datasets/number_range.h"

#include <torch/types.h>

namespace dasgd {

std::optional<NumberOutside> firstOutside(const at::Tensor& numbers, std::int64_t count) {
    if (numbers.numel() == 0) return std::nullopt;
    const auto [lowest, highest] = at::aminmax(numbers);
    if (lowest.item<std::int64_t>() >= 0 && highest.item<std::int64_t>() < count) return std::nullopt;
    const at::Tensor all = numbers.to(torch::kLong).flatten();
    const auto at = all.lt(0).logical_or(all.ge(count)).to(torch::kByte).argmax().item<std::int64_t>();
    return NumberOutside{.sample = at / (numbers.numel() / numbers.size(0)), .value = all[at].item<std::int64_t>()};
}

}  // namespace dasgd
