#include "core/sim/compute/jitter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>

#include "core/base/check.h"

namespace dasgd {

namespace {

// Mean of max(0, 1 + spread·Z).
double meanOfCutNormal(double spread) {
    const double cut = 1 / spread;
    const double above = std::erfc(-cut / std::numbers::sqrt2) / 2;
    const double density = std::exp(-cut * cut / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return above + spread * density;
}

// Mean square of max(0, 1 + spread·Z).
double meanSquareOfCutNormal(double spread) {
    const double cut = 1 / spread;
    const double above = std::erfc(-cut / std::numbers::sqrt2) / 2;
    const double density = std::exp(-cut * cut / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return (1 + spread * spread) * above + spread * density;
}

// Mean of the distribution whose quantiles lie on straight lines between these.
double meanOfQuantiles(const std::vector<double>& quantiles) {
    const double inner = std::accumulate(quantiles.begin() + 1, quantiles.end() - 1, 0.0);
    return (inner + (quantiles.front() + quantiles.back()) / 2) / static_cast<double>(quantiles.size() - 1);
}

// Mean square of the same distribution.
double meanSquareOfQuantiles(const std::vector<double>& quantiles) {
    double sum = 0;
    for (std::size_t i = 1; i < quantiles.size(); ++i) {
        const double low = quantiles[i - 1], high = quantiles[i];
        sum += (low * low + low * high + high * high) / 3;
    }
    return sum / static_cast<double>(quantiles.size() - 1);
}

// Deviation of a distribution divided by its mean `mean`, so that it has mean 1; `meanSquare` is that before the
// division.
double relativeDeviation(double meanSquare, double mean) {
    return std::sqrt(std::max(0.0, meanSquare / (mean * mean) - 1));
}

}  // namespace

double JitterSpec::deviation() const {
    switch (kind) {
        case Kind::None: break;
        case Kind::Normal:
            return spread > 0 ? relativeDeviation(meanSquareOfCutNormal(spread), meanOfCutNormal(spread)) : 0;
        case Kind::Lognormal: return std::sqrt(std::expm1(spread * spread));
        case Kind::Exponential: return spread;
        case Kind::Samples: return relativeDeviation(meanSquareOfQuantiles(quantiles), meanOfQuantiles(quantiles));
    }
    return 0;
}

Result<JitterSpec> JitterSpec::parse(const std::string& text) {
    if (text == "none") return JitterSpec{};
    if (text == "samples") return JitterSpec{.kind = Kind::Samples};
    const auto wrong = [&] {
        return fail("\"" + text +
                    "\" is no jitter; write none, normal(0.05), lognormal(0.05), exponential(0.05) or "
                    "samples");
    };
    const std::string_view view = text;
    const auto open = view.find('(');
    if (open == std::string_view::npos || !view.ends_with(')')) return wrong();
    JitterSpec spec;
    const std::string_view name = view.substr(0, open);
    if (name == "normal") spec.kind = Kind::Normal;
    if (name == "lognormal") spec.kind = Kind::Lognormal;
    if (name == "exponential") spec.kind = Kind::Exponential;
    const std::string_view number = view.substr(open + 1, view.size() - open - 2);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), spec.spread);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == number.data() + number.size();
    const double largest = spec.kind == Kind::Exponential ? 1 : 10;
    if (spec.kind == Kind::None || !whole || !(spec.spread >= 0 && spec.spread <= largest)) return wrong();
    return spec;
}

Jitter::Jitter(const JitterSpec& spec, std::uint64_t seed, int rank) : spec_(spec) {
    std::seed_seq both{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                       static_cast<std::uint32_t>(rank)};
    bits_.seed(both);
    if (spec_.kind != JitterSpec::Kind::Samples) return;
    DASGD_CHECK(spec_.quantiles.size() >= 2 && spec_.quantiles.back() > 0);
    const double mean = meanOfQuantiles(spec_.quantiles);
    for (double& quantile : spec_.quantiles) quantile /= mean;
}

double Jitter::uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }

double Jitter::next() {
    if (spec_.kind == JitterSpec::Kind::Samples) {
        const double place = uniform() * static_cast<double>(spec_.quantiles.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        return std::lerp(spec_.quantiles[below], spec_.quantiles[below + 1], place - static_cast<double>(below));
    }
    if (spec_.kind == JitterSpec::Kind::None || spec_.spread == 0) return 1;
    if (spec_.kind == JitterSpec::Kind::Exponential) return 1 - spec_.spread - spec_.spread * std::log(uniform());
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * uniform());
    if (spec_.kind == JitterSpec::Kind::Normal) {
        return std::max(0.0, 1 + spec_.spread * normal) / meanOfCutNormal(spec_.spread);
    }
    return std::exp(spec_.spread * normal - spec_.spread * spec_.spread / 2);
}

}  // namespace dasgd
