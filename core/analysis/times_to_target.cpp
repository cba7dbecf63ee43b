#include "core/analysis/times_to_target.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

constexpr double kNormal975 = 1.959963984540054;

// Ends of the band of the estimate S, with Greenwood's sum of d / (n (n - d)). The band of 1 is 1, and of 0 it is 0.
struct Band {
    double low, high;
};
Band bandOf(double share, double greenwood) {
    if (share >= 1 || share <= 0) return {share, share};
    const double onScale = std::log(-std::log(share)), half = kNormal975 * std::sqrt(greenwood) / -std::log(share);
    return {std::exp(-std::exp(onScale + half)), std::exp(-std::exp(onScale - half))};
}

}  // namespace

TimesToTarget timesToTarget(std::vector<WatchedTime> watched) {
    std::ranges::sort(watched, {}, &WatchedTime::time);
    TimesToTarget out{.n = watched.size()};
    double share = 1, greenwood = 0;
    for (std::size_t i = 0; i < watched.size();) {
        const auto left = static_cast<double>(watched.size() - i);
        const double time = watched[i].time;
        double came = 0;
        for (; i < watched.size() && watched[i].time == time; ++i) came += watched[i].reached ? 1 : 0;
        if (came == 0) continue;
        out.reached += static_cast<std::size_t>(came);
        share *= 1 - came / left;
        greenwood += came / (left * (left - came));
        const Band band = bandOf(share, greenwood);
        if (!out.low && band.low <= 0.5) out.low = time;
        if (!out.median && share <= 0.5) out.median = time;
        if (!out.high && band.high <= 0.5) out.high = time;
    }
    return out;
}

}  // namespace dasgd
