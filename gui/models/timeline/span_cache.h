// The spans of one run that were read so far, in tiles of time, so that panning and zooming do not ask the store again.
// Reader's thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "gui/models/timeline/span_merge.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// The selection's numbers, the mean over the ranks that have spans in it.
struct Measure {
    std::string runId;
    TimeRange range;
    OverlapSummary mean;
    int ranks = 0;
};

class SpanCache {
public:
    static constexpr Ns kTile = Ns{1} << 29;         // 0.54 s
    static constexpr Ns kLateness = 10'000'000'000;  // a reduce is recorded when it is waited for, up to a period late
    static constexpr std::size_t kMostSpans = 4'000'000;

    // Spans that touch the range, as RunReader::spans().
    using Fetch = std::function<Result<std::vector<storage::SpanRow>>(TimeRange)>;

    // Forgets everything. Ranks without a span still get their rows.
    void reset(int workers);
    // The store has grown: what is not older than `newest` − kLateness is to be read again. An ended run has settled.
    void grown(Ns newest, bool live);
    // Reads what is missing of `range`, for about `budget`; false: there is more to read.
    Result<bool> load(TimeRange range, const Fetch& fetch, std::chrono::milliseconds budget);

    [[nodiscard]] TimelineFrame frame(TimeRange range, double nsPerPixel) const;
    [[nodiscard]] Measure measure(TimeRange range) const;
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Tile {
        std::vector<std::vector<Span>> rows;      // by row, of spans that start in the tile, by start
        std::vector<std::vector<Span>> entering;  // that started earlier
        std::size_t size = 0;
        bool fresh = false;    // nothing was committed since it was read
        bool settled = false;  // nothing can come any more
    };
    using Tiles = std::map<std::int64_t, Tile>;

    void store(std::int64_t first, std::int64_t last, const std::vector<storage::SpanRow>& spans);
    void evict(std::int64_t first, std::int64_t last);
    // Calls take(row index, span) for each span that touches `range`, once, by start within a row.
    template <class Take>
    void visit(TimeRange range, Take take) const;

    int workers_ = 0;
    bool io_ = false;       // the io lane is shown once it was used
    bool windows_ = false;  // the run has windows: one of an older version has none
    Ns settledBefore_ = 0;
    bool live_ = true;
    Tiles tiles_;
    std::size_t size_ = 0;
};

}  // namespace dasgd::gui
