#include "core/analysis/times_to_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dasgd {

namespace {

constexpr double kNormal975 = 1.959963984540054;

// One half but for the rounding of a product.
constexpr double kHalf = 0.5 + 1e-9;

// Ends of the band of the estimate S, which is above 0, with Greenwood's sum of d / (n (n - d)).
struct Band {
    double low, high;
};
Band bandOf(double share, double greenwood) {
    const double onScale = std::log(-std::log(share)), half = kNormal975 * std::sqrt(greenwood) / -std::log(share);
    return {std::exp(-std::exp(onScale + half)), std::exp(-std::exp(onScale - half))};
}

}  // namespace

TimesToTarget timesToTarget(std::vector<WatchedTime> watched) {
    std::ranges::sort(watched, {}, &WatchedTime::time);
    TimesToTarget out{.n = watched.size()};
    double share = 1, greenwood = 0;
    std::optional<double> halfFrom;
    for (std::size_t i = 0; i < watched.size();) {
        const auto left = static_cast<double>(watched.size() - i);
        const double time = watched[i].time;
        double came = 0;
        for (; i < watched.size() && watched[i].time == time; ++i) came += watched[i].reached ? 1 : 0;
        if (came == 0) continue;
        out.reached += static_cast<std::size_t>(came);
        share *= 1 - came / left;
        greenwood += came / (left * (left - came));
        // The estimate is one half until the next arrival: its middle, as of an even number of values.
        if (halfFrom) out.median = (*std::exchange(halfFrom, std::nullopt) + time) / 2;
        if (!out.median && share <= kHalf) {
            out.median = time;
            if (share > 1 - kHalf) halfFrom = time;
        }
        // Greenwood's variance is infinite where the last of those that are watched came.
        if (left == came) continue;
        const Band band = bandOf(share, greenwood);
        if (!out.low && band.low <= kHalf) out.low = time;
        if (!out.high && band.high <= kHalf) out.high = time;
    }
    return out;
}

}  // namespace dasgd
