// Sums of a run's spans in windows of equal time, for each rank: throughput, hidden, blocked and skew over the course
// of a run, available before anything was timed. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/spans/intervals.h"
#include "core/analysis/spans/timings.h"
#include "storage/read/metric_reader.h"

namespace dasgd::gui {

// Names of the curves computed from spans. They exist in the window only and are never recorded.
inline constexpr const char* kSpansThroughput = "spans/samples_per_s";
inline constexpr const char* kSpansHidden = "spans/hidden";
inline constexpr const char* kSpansBlocked = "spans/blocked";
inline constexpr const char* kSpansSkewMs = "spans/skew_ms";
inline constexpr std::array kSpanCurves{kSpansThroughput, kSpansHidden, kSpansBlocked, kSpansSkewMs};
[[nodiscard]] bool isFromSpans(const std::string& metric);

class SpanWindows {
public:
    static constexpr std::size_t kMost = 512;        // windows; above this, pairs of windows are merged
    static constexpr std::int64_t kLeastSteps = 10;  // mean number of steps in a point, at least; fewer are noise

    // Windows start at the beginning of `extent`, and 256 of them cover it.
    explicit SpanWindows(TimeRange extent);

    // `spans`: all that touch `slice`, ordered by rank and start. Slices follow each other without gaps from the
    // beginning of the extent. Evaluations and checkpoints are left out, with the time until the rank's next collective
    // begins, as transfers under way arrived during them at no cost.
    void add(std::span<const RankSpan> spans, TimeRange slice);
    // End of the last slice that was added.
    [[nodiscard]] Ns next() const { return next_; }
    // The curve `name`: for each point and rank a record at the end of the point's windows, and one of rank −1 for all
    // ranks: the sum of their throughputs, or the ratio of their pooled sums. A record is missing where less than half
    // of the time is clean or the divisor is 0. `batch`: samples per step of a rank. Epoch, samples and bytes are 0.
    // `whole`: the run was read to its end; its points then have equal time, up to one window of the at least 256.
    [[nodiscard]] std::vector<storage::MetricSample> curve(const std::string& name, double batch, bool whole) const;

private:
    struct Sums {
        Ns clean = 0;  // time without evaluations and what they disturbed
        Ns transfer = 0, hidden = 0, blocked = 0, skew = 0;
        std::int64_t steps = 0, collectives = 0;
        std::int64_t newest = 0;  // last step begun
        Sums& operator+=(const Sums& more);
    };
    struct Rank {
        bool disturbed = false;  // by an evaluation, until its end at `until` and the next collective
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
