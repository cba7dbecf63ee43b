// Times to a target over repetitions of which some never came there: the others alone would flatter.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dasgd {

// One repetition: the time at which it reached the target, or the time until which it was watched and had not.
struct WatchedTime {
    double time = 0;
    bool reached = false;
};

struct TimesToTarget {
    std::size_t n = 0, reached = 0;  // repetitions that were watched, and that came there
    // The time by which half of them are there, the middle of two such times as of an even number of values; nullopt
    // where fewer than half came.
    std::optional<double> median;
    // 95 % interval of the median; nullopt where it is open on that side: later than anything that was watched.
    std::optional<double> low, high;
};

// Median of the product-limit estimate (Kaplan, Meier 1958). Its interval holds the times at which the pointwise 95 %
// band of the estimate, Greenwood's variance on the scale of log(-log S), contains one half (Brookmeyer, Crowley 1982).
// Times are finite.
[[nodiscard]] TimesToTarget timesToTarget(std::vector<WatchedTime> watched);

}  // namespace dasgd
