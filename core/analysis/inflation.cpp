#include "core/analysis/inflation.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace dasgd {

namespace {

std::string withDigits(double value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

}  // namespace

bool isWithinNoise(const Sample& ranks) {
    constexpr std::size_t kEnough = 3;
    if (ranks.confidence && ranks.n >= kEnough) return std::abs(ranks.mean - 1) <= *ranks.confidence;
    return ranks.n > 0 && ranks.mean < 1;
}

bool showsNone(const Sample& inflation) { return isWithinNoise(inflation) || (inflation.n > 0 && inflation.mean < 1); }

std::string inflationInWords(const Sample& ranks, const std::string& unit) {
    if (ranks.n == 0) return {};
    constexpr double kFine = 0.01;
    const int digits = ranks.confidence && *ranks.confidence < kFine ? 3 : 2;
    std::string words = withDigits(ranks.mean, digits);
    if (ranks.confidence) words += " ± " + withDigits(*ranks.confidence, digits);
    return words + unit + (isWithinNoise(ranks) ? ", within noise" : ranks.mean < 1 ? ", below 1: none seen" : "");
}

}  // namespace dasgd
