#include "core/analysis/statistics.h"

#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

constexpr double kRounding = 1e-13;

// P(|T| <= t) for ν degrees of freedom: the finite trigonometric series (Abramowitz & Stegun 26.7.3 and 26.7.4).
double centralProbability(double t, std::size_t nu) {
    const double theta = std::atan(t / std::sqrt(static_cast<double>(nu)));
    const double c = std::cos(theta);
    const bool odd = nu % 2 == 1;
    double term = odd ? c : 1;
    double sum = odd && nu == 1 ? 0 : term;
    for (std::size_t k = odd ? 3 : 2; k + 1 < nu; k += 2) {
        term *= c * c * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    return odd ? 2 / M_PI * (theta + std::sin(theta) * sum) : std::sin(theta) * sum;
}

}  // namespace

double studentT975(std::size_t degreesOfFreedom) {
    DASGD_CHECK(degreesOfFreedom > 0);
    constexpr double normal = 1.959963984540054;
    if (degreesOfFreedom > 10'000) return normal;
    double low = normal;
    double high = 13;
    while (high - low > 1e-10) {
        const double middle = (low + high) / 2;
        (centralProbability(middle, degreesOfFreedom) < 0.95 ? low : high) = middle;
    }
    return (low + high) / 2;
}

Sample summarise(const std::vector<double>& values) {
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
    // Repetitions of a simulation are equal to the last bit, their mean is only rounded.
    out.std = deviation > kRounding * std::fabs(out.mean) ? deviation : 0;
    out.confidence = studentT975(out.n - 1) * *out.std / std::sqrt(static_cast<double>(out.n));
    return out;
}

}  // namespace dasgd
