// What the spans of a stretch of time add up to, whatever their number: read slice by slice, exactly. Reader's thread
// only.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/idle.h"
#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// The selection's numbers, the mean over the ranks that have spans in it.
struct Measure {
    std::string runId;
    TimeRange range;
    TimeRange counted;  // what of it lies within the run; all of it where none does
    OverlapSummary mean;
    // |∪ spans of the kind|. Those of the compute lane and `mean.idle` add up to what is counted.
    std::array<Ns, kSpanKindNames.size()> byKind{};
    std::array<Ns, kSpanKindNames.size()> mostByKind{};  // of the rank that has most of it
    std::array<int, kSpanKindNames.size()> mostRank{};
    // Why the compute lane was idle or waited; adds up to mean.idle and what of mean.blocked no computing covers.
    IdleBreakdown idle;
    IdleBreakdown mostIdle;             // of each part, of the rank that has most of it
    std::array<int, 5> mostIdleRank{};  // in the order of the parts
    int ranks = 0;                      // that have spans in the range
    int workers = 0;                    // of the run; 0: not known
    [[nodiscard]] Ns length() const {
        return counted.start < counted.end ? counted.end - counted.start : range.end - range.start;
    }
};
inline constexpr std::array kIdleParts{&IdleBreakdown::transfer, &IdleBreakdown::skew, &IdleBreakdown::data,
                                       &IdleBreakdown::evaluation, &IdleBreakdown::unexplained};

class SpanMeasure {
public:
    SpanMeasure(std::string runId, TimeRange range, int workers = 0)
        : runId_(std::move(runId)), range_(range), workers_(workers), next_(range.start) {}

    // Reads on for about `budget`; false: there is more to read.
    Result<bool> read(storage::RunReader& reader, std::chrono::milliseconds budget);
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

    std::string runId_;
    TimeRange range_;
    TimeRange counted_ = range_;
    int workers_ = 0;
    Ns next_ = 0;    // up to here it is read
    Ns slice_ = 0;   // that holds some ten thousand spans on average
    Ns stride_ = 0;  // is read next: longer, while there is nothing to read
    std::vector<RankSums> ranks_;
};

}  // namespace dasgd::gui
