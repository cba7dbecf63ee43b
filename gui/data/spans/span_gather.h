// The contents of a frame, sorted out of the levels of detail: the items of each row, the shares of each group, and the
// timed ranges of its ranks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gui/data/spans/share_columns.h"
#include "gui/data/spans/span_cache.h"

namespace dasgd::gui {

inline constexpr int kLanes = 3;

[[nodiscard]] inline bool touches(TimeRange a, TimeRange b) { return a.start <= b.end && a.end >= b.start; }

class SpanGather {
public:
    // `plan` lists the rows; those within view.places are collected. Items point to the spans of the levels.
    SpanGather(const RowPlan& plan, const TimelineView& view);
    void add(const storage::SpanLevel& level);

    // One per place in the plan.
    struct Row {
        std::array<std::vector<TimelineItem>, kLanes> items;       // for a single rank
        std::array<std::unique_ptr<ShareColumns>, kLanes> shares;  // for a group; null: nothing in the lane
        std::vector<TimeRange> timed;
    };
    std::vector<Row> rows;
    std::size_t spansOfGroups = 0;

private:
    struct Places {
        int alone = -1, group = -1;  // −1: not wanted
    };
    void addLane(const storage::SpanLevel& level, const storage::LevelLane& lane, std::size_t span, std::size_t cell);
    void addItem(Places places, Lane lane, const TimelineItem& item);
    void addTimed(Places places, TimeRange range);

    const RowPlan& plan_;
    const TimelineView& view_;
    std::vector<Places> places_;  // by rank
};

}  // namespace dasgd::gui
