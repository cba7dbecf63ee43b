// One lane of several ranks as shares of them: for each pixel column, which part of the ranks' time each kind takes.
#pragma once

#include <array>
#include <vector>

#include "gui/models/timeline/span_merge.h"

namespace dasgd::gui {

class ShareColumns {
public:
    // Over `range`, a column for each pixel. Columns are counted from the run's start, as in mergeLane().
    ShareColumns(TimeRange range, double nsPerPixel, std::size_t ranks);

    // `covered` of the time from `start` on, `length` long, is of the kind; evenly, where it is less than that.
    void add(SpanKind kind, Ns start, Ns length, Ns covered, std::int64_t step);
    // A box for each kind of a column, one above the other: `base` and `cover` are shares of the ranks. Columns that
    // look the same are one box. Spans of one rank that overlap count once each; more than all of a column is scaled
    // down.
    void boxes(std::int32_t row, std::vector<TimelineBox>& boxes) const;

private:
    struct Column {
        std::array<float, kSpanKindNames.size()> byKind{};  // ns
        std::int64_t step = 0;
    };
    Ns pixel_;
    Ns first_;    // number of the first column
    float full_;  // ns of a column over all ranks
    std::vector<Column> columns_;
};

}  // namespace dasgd::gui
