#include "gui/data/curves/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// studentT975(), computed once for usual numbers of seeds, as every point of a curve needs it.
double quantileOf(std::size_t n) {
    static const std::vector<double> kKnown = [] {
        std::vector<double> known(2, 0);
        while (known.size() < 64) known.push_back(studentT975(known.size() - 1));
        return known;
    }();
    return n < kKnown.size() ? kKnown[n] : studentT975(n - 1);
}

}  // namespace

double halfWidth(std::size_t n, double std, Spread spread) {
    if (n < 2 || spread == Spread::None) return std::numeric_limits<double>::quiet_NaN();
    // The deviation of two values with n − 1 is their range ÷ √2.
    if (n == 2) return std / std::sqrt(2.0);
    return spread == Spread::Std ? std : quantileOf(n) * std / std::sqrt(static_cast<double>(n));
}

std::optional<double> spreadOf(const Sample& sample, Spread spread) {
    if (spread == Spread::None || !sample.std) return std::nullopt;
    if (spread == Spread::Interval95 && sample.n > 2) return sample.confidence;
    return halfWidth(sample.n, *sample.std, spread);
}

std::optional<double> spreadOfRatio(const Sample& ratio, Spread spread) {
    return ratio.n < 3 ? std::nullopt : spreadOf(ratio, spread);
}

QString withSpread(double mean, double half) {
    // A half width beginning with 1 or 2 gets two digits, others one.
    const double size = std::abs(half);
    if (!(size > 0)) return shortNumber(mean) + QStringLiteral(" ± 0");
    const double power = std::floor(std::log10(size));
    const int digits = size / std::pow(10.0, power) < 3 ? 1 : 0;
    const int decimals = std::clamp(digits - static_cast<int>(power), 0, 8);
    const auto text = [&](double value) {
        return std::abs(value) >= 1e6 ? shortNumber(value) : QString::number(value, 'f', decimals);
    };
    return text(mean) + QStringLiteral(" ± ") + text(size);
}

QString spreadInWords(const Sample& sample, Spread spread) {
    if (sample.n == 0) return kAbsent;
    const auto half = spreadOf(sample, spread);
    return half ? withSpread(sample.mean, *half) : shortNumber(sample.mean);
}

Sample scaled(Sample sample, double scale) {
    sample.mean *= scale;
    if (sample.std) *sample.std *= scale;
    if (sample.confidence) *sample.confidence *= scale;
    return sample;
}

QString spreadName(Spread spread) {
    switch (spread) {
        case Spread::None: return QStringLiteral("no spread");
        case Spread::Std: return QStringLiteral("standard deviation");
        case Spread::Interval95: return QStringLiteral("95 % interval");
    }
    return {};
}

QString spreadOverSeeds(Spread spread) {
    return spreadName(spread) + QStringLiteral(" over seeds, of two half their range");
}

}  // namespace dasgd::gui
