#include "core/datasets/number_range.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dasgd {

std::optional<OutOfRangeNumber> firstOutside(const at::Tensor& numbers, std::int64_t count) {
    if (numbers.numel() == 0) return std::nullopt;
    const auto [lowest, highest] = at::aminmax(numbers);
    if (lowest.item<std::int64_t>() >= 0 && highest.item<std::int64_t>() < count) return std::nullopt;
    const at::Tensor all = numbers.to(torch::kLong).flatten();
    const auto at = all.lt(0).logical_or(all.ge(count)).to(torch::kByte).argmax().item<std::int64_t>();
    return OutOfRangeNumber{.sample = at / (numbers.numel() / numbers.size(0)), .value = all[at].item<std::int64_t>()};
}

std::optional<std::int64_t> firstNotFinite(const at::Tensor& numbers) {
    if (!numbers.is_floating_point() || numbers.numel() == 0) return std::nullopt;
    const auto isFinite = [](const at::Tensor& some) {
        // A NaN among them is both.
        const auto [lowest, highest] = at::aminmax(some);
        return std::isfinite(static_cast<float>(lowest.item<double>())) &&
               std::isfinite(static_cast<float>(highest.item<double>()));
    };
    constexpr std::int64_t kPart = 1 << 16;
    const std::int64_t samples = numbers.size(0);
    for (std::int64_t begin = 0; begin < samples; begin += kPart) {
        const std::int64_t end = std::min(begin + kPart, samples);
        if (isFinite(numbers.slice(0, begin, end))) continue;
        for (std::int64_t i = begin; i < end; ++i) {
            if (!isFinite(numbers[i])) return i;
        }
    }
    return std::nullopt;
}

}  // namespace dasgd
