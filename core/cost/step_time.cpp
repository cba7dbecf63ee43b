#include "core/cost/step_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/check.h"

namespace dasgd {

namespace {

// What a transfer beside `steps` steps adds to a round: slower computing, or a wait.
double addedSeconds(double compute, double transfer, int steps, double contention) {
    return std::max(transfer * contention / (1 + contention), transfer - steps * compute);
}

}  // namespace

double dasgdStepSeconds(double compute, double communication, int period, int delay, double contention) {
    return exchangeStepSeconds(compute, {.first = communication}, period, delay, contention);
}

StageDelays stageDelays(const ExchangeSeconds& exchange, int delay) {
    if (exchange.second == 0 || delay <= 1) return {delay, 0};
    return {delay - delay / 2, delay / 2};
}

double exchangeStepSeconds(double compute, const ExchangeSeconds& exchange, int period, int delay, double contention) {
    DASGD_CHECK(period >= 1 && delay >= 0 && delay <= period && contention >= 0);
    const StageDelays delays = stageDelays(exchange, delay);
    const double added = addedSeconds(compute, exchange.first, delays.first, contention) +
                         addedSeconds(compute, exchange.second, delays.second, contention) + exchange.coding();
    return compute + added / period;
}

int minimumDelay(double communication, double compute, double jitter) {
    DASGD_CHECK(compute > 0 && communication >= 0 && jitter >= 0);
    const double steps = std::ceil((communication + jitter) / compute - 1e-9);
    return static_cast<int>(std::clamp(steps, 0.0, static_cast<double>(std::numeric_limits<int>::max())));
}

int minimumDelay(const ExchangeSeconds& exchange, double compute, double jitter) {
    const int first = minimumDelay(exchange.first, compute, jitter);
    if (exchange.second == 0) return first;
    const int second = minimumDelay(exchange.second, compute, jitter);
    constexpr int kMost = std::numeric_limits<int>::max();
    if (std::max(first, second) > kMost / 2) return kMost;
    return std::max({2, 2 * first - 1, 2 * second});
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
