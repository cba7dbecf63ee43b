#include "core/cost/compute_utilization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"

namespace dasgd {

namespace {

// From the beginning of the backward pass to the end of the last exchange of `fragment`.
double endSeconds(const UtilizationRound& round, const std::vector<std::size_t>& fragment, double backward,
                  const ExchangeTime& exchange, const LinkCost& link) {
    if (round.launch == LaunchTime::Step) {
        double bytes = 0;
        for (const std::size_t layer : fragment) bytes += round.layers[layer].bytes;
        return backward + exchange(link, bytes);
    }
    double ready = 0, end = 0;
    std::size_t next = round.layers.size();
    for (auto layer = fragment.rbegin(); layer != fragment.rend(); ++layer) {
        while (next > *layer) ready += round.layers[--next].backwardSeconds;
        end = std::max(ready, end) + exchange(link, round.layers[*layer].bytes);
    }
    return end;
}

}  // namespace

double exposedSeconds(const UtilizationRound& round, const ExchangeTime& exchange, const LinkCost& link) {
    double backward = 0;
    for (const SentLayer& layer : round.layers) backward += layer.backwardSeconds;
    const double hidden = backward + static_cast<double>(round.delay) * round.stepSeconds;
    double exposed = 0;
    for (const std::vector<std::size_t>& fragment : round.fragments) {
        DASGD_CHECK(!fragment.empty() && fragment.back() < round.layers.size());
        exposed += std::max(0.0, endSeconds(round, fragment, backward, exchange, link) - hidden);
    }
    return exposed;
}

double computeUtilization(const UtilizationRound& round, const ExchangeTime& exchange, const LinkCost& link) {
    const double computing = static_cast<double>(round.period) * round.stepSeconds;
    return computing / (computing + exposedSeconds(round, exchange, link));
}

double bandwidthFor(const UtilizationRound& round, const ExchangeTime& exchange, LinkCost link, double utilization) {
    DASGD_CHECK(utilization > 0 && utilization < 1 && round.stepSeconds > 0 && round.period >= 1);
    constexpr double kLeast = 1, kMost = 1e21;
    const auto suffices = [&](double bytesPerSecond) {
        link.beta = 1 / bytesPerSecond;
        return computeUtilization(round, exchange, link) >= utilization;
    };
    if (suffices(kLeast)) return 0;
    if (!suffices(kMost)) return std::numeric_limits<double>::infinity();
    double low = kLeast, high = kMost;
    while (high > low * (1 + 1e-9)) {
        const double middle = std::sqrt(low * high);
        (suffices(middle) ? high : low) = middle;
    }
    return high;
}

std::vector<std::vector<std::size_t>> stridedFragments(std::size_t layers, std::size_t count) {
    DASGD_CHECK(count >= 1 && count <= layers);
    std::vector<std::vector<std::size_t>> fragments(count);
    for (std::size_t layer = 0; layer < layers; ++layer) fragments[layer % count].push_back(layer);
    return fragments;
}

}  // namespace dasgd
