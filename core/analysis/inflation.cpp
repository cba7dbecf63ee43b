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

Sample inflationOfRanks(const std::vector<double>& ranks) {
    constexpr std::size_t kFewest = 3;
    const Sample sample = inflationOfRuns(ranks);
    return sample.n < kFewest ? Sample{} : sample;
}

Sample inflationOfRuns(const std::vector<double>& runs) {
    const Sample sample = summariseTimes(runs);
    const bool isTooWide = sample.confidence && 2 * *sample.confidence > sample.mean;
    return isTooWide ? Sample{} : sample;
}

bool isWithinNoise(const Sample& inflation) {
    return inflation.confidence && std::abs(inflation.mean - 1) <= *inflation.confidence;
}

bool showsNone(const Sample& inflation) { return isWithinNoise(inflation) || (inflation.n > 0 && inflation.mean < 1); }

std::string inflationInWords(const Sample& ranks, const std::string& unit) {
    if (ranks.n == 0) return "not known";
    constexpr double kFine = 0.01;
    const int digits = ranks.confidence.value_or(0) < kFine ? 3 : 2;
    std::string words = withDigits(ranks.mean, digits);
    if (ranks.confidence) words += " ± " + withDigits(*ranks.confidence, digits);
    words += unit;
    if (ranks.mean < 1) return "not measurable here (" + words + ")";
    return words + (isWithinNoise(ranks) ? ", within noise" : "");
}

}  // namespace dasgd
