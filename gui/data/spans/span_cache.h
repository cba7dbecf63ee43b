// The spans of one run read so far, levels of detail and rows as in the store, so that panning and zooming do not read
// them again. Used on the reader's thread only.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "gui/data/spans/kind_set.h"
#include "gui/data/spans/span_merge.h"
#include "storage/read/span_reader.h"

namespace dasgd::gui {

struct TimelineView {
    TimeRange range;
    double nsPerPixel = 1;
    PlaceRange places = {};  // other places need no boxes
    RowPlanPtr plan = {};    // null: each rank by its number
    KindSet hidden = {};     // kinds that are not drawn
};

class SpanCache {
public:
    // Rows are drawn if the view touches at most this many; else levels of detail, also where they are coarser than a
    // pixel.
    static constexpr std::int64_t kMostRows = 400'000;
    static constexpr std::size_t kMostBytes = 160U << 20;

    // Changes the run. Ranks without a span get rows too.
    void reset(std::string runId, int workers);
    // Call when the store has grown, or the run has ended.
    void grown(bool live);
    // Reads missing parts of the view, coarse ones first, for about `budget`; false: there is more to read.
    Result<bool> load(storage::SpanReader& reader, const TimelineView& view, std::chrono::milliseconds budget);
    // Frame of the parts read so far; missing parts are drawn from coarser levels.
    [[nodiscard]] TimelineFrame frame(const TimelineView& view) const;

    // All spans of all ranks that touch `range`; nullopt if some were not read as rows, or there are more than `most`.
    [[nodiscard]] std::optional<std::vector<RankSpan>> spansIn(TimeRange range, std::size_t most) const;
    // True if the store has not grown since the last read.
    [[nodiscard]] bool isCurrent() const { return !stale_; }
    [[nodiscard]] const std::string& runId() const { return runId_; }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] int reads() const { return reads_; }  // number of levels and chunks of rows read

private:
    struct Node {
        storage::SpanPart part;
        bool expanded = false;
        std::vector<Node*> parts;
        bool loaded = false;
        bool damaged = false;  // its level cannot be read, so its parts are used
        [[nodiscard]] bool isCoarse(const TimelineView& view, bool rows) const;
        storage::SpanLevel level;            // for rows: all of them
        std::vector<storage::SpanRow> rows;  // for rows that are not settled, in order of arrival
        std::uint64_t used = 0;
    };
    using Nodes = std::vector<Node*>;
    using Deadline = std::chrono::steady_clock::time_point;

    Node& nodeOf(const storage::SpanPart& part);
    Status readRoots(storage::SpanReader& reader);
    Status expand(storage::SpanReader& reader, Node& node);
    Status read(storage::SpanReader& reader, Node& node);
    Status readRows(storage::SpanReader& reader, Node& node);
    // Reads down to the detail that the view needs; false: stopped at the deadline.
    Result<bool> refine(storage::SpanReader& reader, Node& node, const TimelineView& view, bool rows,
                        Deadline deadline);
    Result<bool> rowsAreFew(storage::SpanReader& reader, const TimelineView& view);
    bool collect(const Node& node, const TimelineView& view, bool rows, std::vector<const Node*>& drawn) const;
    bool appendSpans(const Node& node, TimeRange range, std::size_t most, std::vector<RankSpan>& spans) const;
    void drawRank(std::array<std::vector<TimelineItem>, 3>& lanes, TimelineRow row, const KindSet& hidden,
                  TimelineFrame& frame) const;
    void note(const storage::SpanLevel& level);
    void evict();

    std::string runId_;
    int workers_ = 0;
    bool live_ = true;
    bool stale_ = true;     // the roots must be read again
    bool io_ = false;       // the io lane is shown once it has a span
    bool windows_ = false;  // the run has windows; runs of older versions have none
    std::map<std::pair<int, std::int64_t>, std::unique_ptr<Node>> nodes_;  // by level and id
    Nodes roots_;
    bool rows_ = true;  // the last view is drawn down to rows
    std::size_t bytes_ = 0;
    std::uint64_t now_ = 0;  // counts calls of load()
    int reads_ = 0;
};

}  // namespace dasgd::gui
