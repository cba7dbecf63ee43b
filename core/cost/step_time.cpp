#include "core/cost/step_time.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/check.h"

namespace dasgd {

double blockingSgdStepSeconds(double slowestStep, double communication) { return slowestStep + communication; }

double bucketedSgdStepSeconds(std::span<const double> readyTimes, std::span<const double> bucketTimes, double forward,
                              double backward) {
    DASGD_CHECK(readyTimes.size() == bucketTimes.size());
    double reduced = 0;
    for (std::size_t bucket = 0; bucket < readyTimes.size(); ++bucket) {
        reduced = std::max(readyTimes[bucket], reduced) + bucketTimes[bucket];
    }
    return forward + std::max(backward, reduced);
}

double localSgdStepSeconds(double slowestRound, double communication, int period) {
    DASGD_CHECK(period >= 1);
    return (slowestRound + communication) / period;
}

double dasgdStepSeconds(double compute, double communication, int period, int delay, double contention) {
    DASGD_CHECK(period >= 1 && delay >= 0 && delay <= period && contention >= 0);
    const double slowed = communication * contention / (1 + contention);
    const double waited = communication - delay * compute;
    return compute + std::max(slowed, waited) / period;
}

double dasgdWaitSeconds(std::span<const double> launches, double communication, double ownMerge) {
    DASGD_CHECK(!launches.empty());
    return std::max(0.0, *std::ranges::max_element(launches) + communication - ownMerge);
}

int minimumDelay(double communication, double compute, double jitter) {
    DASGD_CHECK(compute > 0 && communication >= 0 && jitter >= 0);
    return std::max(0, static_cast<int>(std::ceil((communication + jitter) / compute - 1e-9)));
}

double overlappingStepSeconds(double compute, double communication, int period) {
    DASGD_CHECK(period >= 1);
    return std::max(compute, communication / period);
}

double streamingStepSeconds(double compute, double communication, int fragments, int syncPeriod, int delay) {
    DASGD_CHECK(fragments >= 1 && delay >= 0 && delay * fragments < syncPeriod);
    const double waited = std::max(0.0, communication / fragments - delay * compute);
    return compute + waited * fragments / syncPeriod;
}

double asynchronousStepSeconds(double compute, double exchange) { return std::max(compute, exchange); }

bool overlapPays(double contention, double communication, double savedSeconds) {
    return contention * communication < savedSeconds;
}

double harmonicNumber(int n) {
    DASGD_CHECK(n >= 0);
    double sum = 0;
    for (int i = n; i >= 1; --i) sum += 1.0 / i;
    return sum;
}

double expectedMaximumShiftedExponential(double shift, double scale, int n) {
    return expectedFinishShiftedExponential(shift, scale, n, n);
}

double expectedFinishShiftedExponential(double shift, double scale, int k, int n) {
    DASGD_CHECK(k >= 1 && k <= n);
    return shift + scale * (harmonicNumber(n) - harmonicNumber(n - k));
}

double expectedMaximumNormal(double mean, double deviation, int n) {
    DASGD_CHECK(n >= 1 && deviation >= 0);
    // E[max] = ∫₀^∞ 1 − Φ(x)ⁿ − Φ(−x)ⁿ dx, by Simpson's rule; beyond 12 nothing is left of it for any n of interest.
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

double boundOfMaximumNormal(double mean, double deviation, int n) {
    DASGD_CHECK(n >= 1 && deviation >= 0);
    return mean + deviation * std::sqrt(2 * std::log(n));
}

double expectedSlowestRound(double mean, double deviation, int period, int workers) {
    DASGD_CHECK(period >= 1);
    return expectedMaximumNormal(period * mean, deviation * std::sqrt(period), workers);
}

}  // namespace dasgd
