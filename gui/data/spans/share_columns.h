// One lane of several ranks as shares: for each pixel column, the fraction of the ranks' time that each kind takes.
#pragma once

#include <array>
#include <vector>

#include "gui/data/spans/span_merge.h"

namespace dasgd::gui {

class ShareColumns {
public:
    // One column per pixel of `range`. Columns are counted from the run's start, as in mergeLane().
    ShareColumns(TimeRange range, double nsPerPixel, std::size_t ranks);

    // Adds a span of the kind from `start` on, `length` long, of which `covered` is busy, spread evenly if less than
    // `length`.
    void add(SpanKind kind, Ns start, Ns length, Ns covered, std::int64_t step);
    // A box for each kind in a column, stacked: `base` and `cover` are fractions of the ranks. Columns that look the
    // same share one box. Overlapping spans of one rank count once each; a sum above the whole column is scaled down.
    void boxes(std::int32_t row, std::vector<TimelineBox>& boxes) const;

private:
    struct Column {
        std::array<float, kSpanKindNames.size()> byKind{};  // ns
        std::int64_t step = 0;
    };
    [[nodiscard]] Ns columnOf(Ns t) const;
    Ns pixel_;
    double perPixel_;
    Ns first_;    // index of the first column
    float full_;  // ns of a column over all ranks
    std::vector<Column> columns_;
};

}  // namespace dasgd::gui
