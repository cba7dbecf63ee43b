// What the spans of a stretch of time add up to, whatever their number: read slice by slice, exactly. Reader's thread
// only.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// The selection's numbers, the mean over the ranks that have spans in it.
struct Measure {
    std::string runId;
    TimeRange range;
    OverlapSummary mean;
    // |∪ spans of the kind|. Those of the compute lane and `mean.idle` add up to the range.
    std::array<Ns, kSpanKindNames.size()> byKind{};
    std::array<Ns, kSpanKindNames.size()> mostByKind{};  // of the rank that has most of it
    std::array<int, kSpanKindNames.size()> mostRank{};
    int ranks = 0;
};

class SpanMeasure {
public:
    SpanMeasure(std::string runId, TimeRange range) : runId_(std::move(runId)), range_(range), next_(range.start) {}

    // Reads on for about `budget`; false: there is more to read.
    Result<bool> read(storage::RunReader& reader, std::chrono::milliseconds budget);
    [[nodiscard]] Measure result() const;
    [[nodiscard]] const std::string& runId() const { return runId_; }

private:
    struct RankSums {
        OverlapSummary overlap;
        std::array<Ns, kSpanKindNames.size()> byKind{};
        bool seen = false;
    };
    void take(TimeRange slice, const std::vector<storage::SpanRow>& spans);

    std::string runId_;
    TimeRange range_;
    Ns next_ = 0;  // up to here it is read
    Ns slice_ = 0;
    std::vector<RankSums> ranks_;
};

}  // namespace dasgd::gui
