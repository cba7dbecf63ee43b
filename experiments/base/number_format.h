// Numbers of one column of a table, all written alike: with as many decimals as the column needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics.h"

namespace dasgd::experiments {

struct NumberFormat {
    int decimals = 0;
    bool exponent = false;  // 1.25e-08
    // "–" for none.
    [[nodiscard]] std::string text(std::optional<double> value) const;
    // "0.0812 ± 0.0031": the mean and half of its 95 % interval, where there is one; "–" of an empty sample.
    [[nodiscard]] std::string text(const Sample& sample, double scale = 1) const;
};

// Three significant digits of the smallest of `values` that is not 0, but no more than seven digits of the largest;
// with exponents where the smallest would read as 0 then. What is not finite does not count.
[[nodiscard]] NumberFormat formatFor(const std::vector<double>& values);
inline constexpr NumberFormat kPercentFormat{.decimals = 1};

// The cells of a column of such numbers.
[[nodiscard]] std::vector<std::string> alike(const std::vector<std::optional<double>>& values);

}  // namespace dasgd::experiments
