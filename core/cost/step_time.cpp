#include "core/cost/step_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/check.h"

namespace dasgd {

double dasgdStepSeconds(double compute, double communication, int period, int delay, double contention) {
    DASGD_CHECK(period >= 1 && delay >= 0 && delay <= period && contention >= 0);
    const double slowed = communication * contention / (1 + contention);
    const double waited = communication - delay * compute;
    return compute + std::max(slowed, waited) / period;
}

int minimumDelay(double communication, double compute, double jitter) {
    DASGD_CHECK(compute > 0 && communication >= 0 && jitter >= 0);
    const double steps = std::ceil((communication + jitter) / compute - 1e-9);
    return static_cast<int>(std::clamp(steps, 0.0, static_cast<double>(std::numeric_limits<int>::max())));
}

double expectedMaximumNormal(double mean, double deviation, int n) {
    DASGD_CHECK(n >= 1 && deviation >= 0);
    // E[max] = ∫₀^∞ 1 − Φ(x)ⁿ − Φ(−x)ⁿ dx, by Simpson's rule; beyond 12 the integrand is negligible for any n of
    // interest.
    constexpr double kEnd = 12;
    constexpr int kSteps = 4096;
    constexpr double kWidth = kEnd / kSteps;
    const auto integrand = [n](double x) {
        const double above = std::erfc(x / std::numbers::sqrt2) / 2;
        return -std::expm1(n * std::log1p(-above)) - std::pow(above, n);
    };
    double sum = integrand(0) + integrand(kEnd);
    for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 0 ? 2 : 4) * integrand(i * kWidth);
    return mean + deviation * sum * kWidth / 3;
}

}  // namespace dasgd
