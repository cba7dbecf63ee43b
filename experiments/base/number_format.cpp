#include "experiments/base/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dasgd::experiments {

namespace {

constexpr int kDigitsOfSmallest = 3;
constexpr int kDigitsOfLargest = 7;

int wholeDigits(double size) { return size < 10 ? 1 : 1 + static_cast<int>(std::floor(std::log10(size))); }

}  // namespace

std::string NumberFormat::text(std::optional<double> value) const {
    if (!value) return "–";
    if (std::isnan(*value)) return "nan";
    char text[400];  // the largest double has 309 digits
    std::snprintf(text, sizeof text, exponent ? "%.*e" : "%.*f", exponent ? 2 : decimals, *value);
    return text;
}

std::string NumberFormat::text(const Sample& sample, double scale) const {
    if (sample.n == 0) return "–";
    std::string words = text(sample.mean * scale);
    if (sample.confidence) words += " ± " + text(*sample.confidence * scale);
    return words;
}

NumberFormat formatFor(const std::vector<double>& values) {
    double smallest = 0, largest = 0;
    for (const double value : values) {
        const double size = std::fabs(value);
        if (!std::isfinite(size) || size == 0) continue;
        smallest = smallest == 0 ? size : std::min(smallest, size);
        largest = std::max(largest, size);
    }
    if (largest == 0) return {};
    const int wanted = kDigitsOfSmallest - 1 - static_cast<int>(std::floor(std::log10(smallest)));
    NumberFormat format{.decimals = std::clamp(wanted, 0, std::max(0, kDigitsOfLargest - wholeDigits(largest)))};
    format.exponent = smallest * std::pow(10, format.decimals) < 0.5 || wholeDigits(largest) > kDigitsOfLargest;
    return format;
}

std::vector<std::string> alike(const std::vector<std::optional<double>>& values) {
    std::vector<double> known;
    for (const auto& value : values) {
        if (value) known.push_back(*value);
    }
    const NumberFormat format = formatFor(known);
    std::vector<std::string> texts;
    for (const auto& value : values) texts.push_back(format.text(value));
    return texts;
}

}  // namespace dasgd::experiments
