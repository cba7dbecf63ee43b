// Exact sums over the spans of a time range of any size, read slice by slice. Used on the reader's thread only.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/spans/critical_path.h"
#include "core/analysis/spans/idle.h"
#include "core/analysis/spans/overlap.h"
#include "core/base/result.h"
#include "storage/read/span_reader.h"

namespace dasgd::gui {

inline constexpr std::array kIdleParts{&IdleBreakdown::transfer,   &IdleBreakdown::skew,
                                       &IdleBreakdown::messages,   &IdleBreakdown::data,
                                       &IdleBreakdown::evaluation, &IdleBreakdown::unexplained};

// Measurements of a range; means are over the ranks with spans in it.
struct Measure {
    std::string runId;
    TimeRange range;
    TimeRange counted;  // the part of `range` within the run; all of it if there is none
    OverlapSummary mean;
    // |∪ spans of the kind|. Those of the compute lane and `mean.idle` add up to `counted`.
    std::array<Ns, kSpanKindNames.size()> byKind{};
    std::array<Ns, kSpanKindNames.size()> mostByKind{};  // largest value of a rank
    std::array<int, kSpanKindNames.size()> mostRank{};
    // Reasons why the compute lane was idle or waited; they add up to mean.idle and the part of mean.blocked without
    // computation.
    IdleBreakdown idle;
    IdleBreakdown mostIdle;  // largest value of a rank, for each part
    std::array<int, kIdleParts.size()> mostIdleRank{};
    int ranks = 0;    // number of ranks with spans in the range
    int workers = 0;  // of the run; 0: not known
    // The critical path of `counted`: work that it cuts counts as far as it lies within. None without spans, or where
    // there are too many of them to follow it.
    std::optional<CriticalPath> path;
    bool hasLongPath = false;  // there are too many
    [[nodiscard]] Ns length() const {
        return counted.start < counted.end ? counted.end - counted.start : range.end - range.start;
    }
};

class SpanMeasure {
public:
    // Spans for one critical path, some 50 ms of work.
    static constexpr std::size_t kMostOfPath = 250'000;

    // `imported`: of a trace of another program, which does not number what its waits are for: they count as waits for
    // collectives.
    SpanMeasure(std::string runId, TimeRange range, int workers = 0, bool imported = false)
        : runId_(std::move(runId)), range_(range), workers_(workers), imported_(imported), next_(range.start) {}

    // Reads on for about `budget`; false: there is more to read.
    Result<bool> read(storage::SpanReader& reader, std::chrono::milliseconds budget);
    [[nodiscard]] Measure result() const;
    [[nodiscard]] const std::string& runId() const { return runId_; }

private:
    struct RankSums {
        OverlapSummary overlap;
        IdleBreakdown idle;
        std::array<Ns, kSpanKindNames.size()> byKind{};
        bool seen = false;
    };
    void take(TimeRange slice, const std::vector<storage::SpanRow>& spans);
    void keepForPath(TimeRange slice, const std::vector<storage::SpanRow>& spans);

    std::string runId_;
    TimeRange range_;
    TimeRange counted_ = range_;
    int workers_ = 0;
    bool imported_ = false;
    Ns next_ = 0;    // end of the part read so far
    Ns slice_ = 0;   // length that holds about ten thousand spans on average
    Ns stride_ = 0;  // length to read next: longer while no spans are found
    std::vector<RankSums> ranks_;
    std::vector<RankSpan> path_;  // spans of the critical path; at most one more than are followed
};

}  // namespace dasgd::gui
