#include "core/analysis/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

constexpr double kRounding = 1e-13;

}  // namespace

Sample withoutSpread(Sample sample) {
    sample.std.reset();
    sample.confidence.reset();
    return sample;
}

double median(std::vector<double> values) {
    DASGD_CHECK(!values.empty());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double studentT975(std::size_t degreesOfFreedom) {
    DASGD_CHECK(degreesOfFreedom > 0);
    return boost::math::quantile(boost::math::students_t(static_cast<double>(degreesOfFreedom)), 0.975);
}

std::optional<double> welchP(const Sample& a, const Sample& b) {
    if (!a.std || !b.std) return std::nullopt;
    const double ofA = *a.std * *a.std / static_cast<double>(a.n), ofB = *b.std * *b.std / static_cast<double>(b.n);
    const double variance = ofA + ofB;
    if (!(variance > 0)) return std::nullopt;
    const double freedom =
        variance * variance / (ofA * ofA / static_cast<double>(a.n - 1) + ofB * ofB / static_cast<double>(b.n - 1));
    const double t = std::fabs(a.mean - b.mean) / std::sqrt(variance);
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

std::optional<double> pairedP(const std::vector<double>& differences) {
    const Sample sample = summarise(differences);
    if (!sample.std || !(*sample.std > 0)) return std::nullopt;
    const double t = std::fabs(sample.mean) / (*sample.std / std::sqrt(static_cast<double>(sample.n)));
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(static_cast<double>(sample.n - 1)), t));
}

std::vector<std::optional<double>> holmAdjusted(std::vector<std::optional<double>> probabilities) {
    std::vector<std::optional<double>*> known;
    for (auto& one : probabilities) {
        if (one) known.push_back(&one);
    }
    std::ranges::sort(known, {}, [](const std::optional<double>* one) { return **one; });
    double least = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
        least = std::max(least, std::min(1.0, static_cast<double>(known.size() - i) * **known[i]));
        *known[i] = least;
    }
    return probabilities;
}

Sample ratioOf(const Sample& over, const Sample& under) {
    Sample out;
    if (over.n == 0 || under.n == 0 || !(over.mean > 0) || !(under.mean > 0)) return out;
    out.n = std::min(over.n, under.n);
    out.mean = over.mean / under.mean;
    if (!over.std || !under.std) return out;
    const double ofOver = *over.std / over.mean, ofUnder = *under.std / under.mean;
    out.std = out.mean * std::hypot(ofOver, ofUnder);
    const double a = ofOver * ofOver / static_cast<double>(over.n);
    const double b = ofUnder * ofUnder / static_cast<double>(under.n);
    if (!(a + b > 0)) return withoutSpread(out);
    const double degrees =
        (a + b) * (a + b) / (a * a / static_cast<double>(over.n - 1) + b * b / static_cast<double>(under.n - 1));
    // Rounding down gives the wider interval; degrees that were two before rounding errors stay two.
    const auto whole = static_cast<std::size_t>(std::max(1.0, std::floor(degrees + 1e-9)));
    out.confidence = out.mean * std::sqrt(a + b) * studentT975(whole);
    return out;
}

Sample meanAndStd(const std::vector<double>& values) {
    Sample out;
    double sum = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        ++out.n;
        sum += value;
    }
    if (out.n == 0) return out;
    out.mean = sum / static_cast<double>(out.n);
    if (out.n < 2) return out;
    double squares = 0;
    for (const double value : values) {
        if (std::isfinite(value)) squares += (value - out.mean) * (value - out.mean);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(out.n - 1));
    // Repetitions of a simulation are equal to the last bit; only their mean is rounded.
    out.std = deviation > kRounding * std::fabs(out.mean) ? deviation : 0;
    return out;
}

Sample summarise(const std::vector<double>& values) {
    Sample out = meanAndStd(values);
    if (out.std) out.confidence = studentT975(out.n - 1) * *out.std / std::sqrt(static_cast<double>(out.n));
    return out;
}

Sample summariseTimes(const std::vector<double>& values) {
    const Sample sample = summarise(values);
    return sample.std && *sample.std == 0 ? withoutSpread(sample) : sample;
}

}  // namespace dasgd
