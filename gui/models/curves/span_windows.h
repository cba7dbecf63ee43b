// What the spans of a run add up to in windows of equal time, rank by rank: throughput, hidden, blocked and skew over
// the course of a run, before it is timed too. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/intervals.h"
#include "core/analysis/timings.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Names of curves that are formed from spans. They are the window's own: nothing records them.
inline constexpr const char* kSpansThroughput = "spans/samples_per_s";
inline constexpr const char* kSpansHidden = "spans/hidden";
inline constexpr const char* kSpansBlocked = "spans/blocked";
inline constexpr const char* kSpansSkewMs = "spans/skew_ms";
inline constexpr std::array kSpanCurves{kSpansThroughput, kSpansHidden, kSpansBlocked, kSpansSkewMs};
[[nodiscard]] bool isFromSpans(const std::string& metric);

class SpanWindows {
public:
    static constexpr std::size_t kMost = 512;        // windows; where there are more, two become one
    static constexpr std::int64_t kLeastSteps = 10;  // of a point, on average: fewer are noise

    // Windows lie from the beginning of `extent` on; a few hundred of them cover it.
    explicit SpanWindows(TimeRange extent);

    // `spans` are all that touch `slice`, by rank and start. Slices follow each other without a gap from the beginning
    // of the extent on. Evaluations and checkpoints are left out with what they disturb, the time until the rank's next
    // collective begins: what was under way arrived for free.
    void add(std::span<const RankSpan> spans, TimeRange slice);
    // Up to here spans were added.
    [[nodiscard]] Ns next() const { return next_; }
    // The curve of that name, a record a rank and point at the end of its windows, and one of rank −1 of all ranks: the
    // sum of the throughputs, hidden pooled by time, skew by collectives, the mean of what they are blocked. Absent
    // where less than half of the time is left, or there is nothing to divide by. `batch`: samples of a rank's step.
    // The epoch, samples and bytes of the records are 0. `whole`: all of the run was read, and its points are of equal
    // time, but for one window of the 256 and more that a run has.
    [[nodiscard]] std::vector<storage::MetricSample> curve(const std::string& name, double batch, bool whole) const;

private:
    struct Sums {
        Ns clean = 0;  // time that counts
        Ns transfer = 0, hidden = 0, blocked = 0, skew = 0;
        std::int64_t steps = 0, collectives = 0;
        std::int64_t newest = 0;  // step
        Sums& operator+=(const Sums& more);
    };
    struct Rank {
        bool disturbed = false;  // by an evaluation that ended at `until`, or does so then
        Ns until = 0;
        bool collects = false;  // a collective was seen
        std::int64_t step = 0;
        std::vector<Sums> windows;
    };
    [[nodiscard]] Intervals cleanOf(Rank& rank, std::span<const RankSpan> spans, TimeRange slice) const;
    void count(Rank& rank, std::span<const RankSpan> spans, TimeRange slice, const Intervals& clean);
    void sum(Rank& rank, std::span<const RankSpan> spans, const Intervals& clean);
    [[nodiscard]] std::size_t windowOf(Ns at) const { return static_cast<std::size_t>((at - origin_) / width_); }
    [[nodiscard]] Sums& sumsAt(Rank& rank, Ns at) const;
    void halve();
    [[nodiscard]] std::size_t windowsOfPoint(std::size_t windows) const;

    Ns origin_ = 0, width_ = 1, next_ = 0;
    std::map<int, Rank> ranks_;
};

}  // namespace dasgd::gui
