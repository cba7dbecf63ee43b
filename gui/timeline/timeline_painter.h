// Draws a timeline on any paint device: the window's widget and the paper figure alike.
#pragma once

#include <QFont>
#include <QPainter>

#include "gui/models/timeline/span_merge.h"
#include "gui/theme/theme.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_layout.h"

namespace dasgd::gui {

struct TimelineStyle {
    QColor ground, grid, text, muted, axisText;
    QFont strong, plain, small;  // rank, lane and box labels, axis
    double minimalBox = 1;       // widths in the painter's unit
    bool crisp = true;           // edges on whole pixels; off on paper
};
[[nodiscard]] TimelineStyle screenStyle(const Theme& theme);
// Laid over the colour of a wait, which must differ from a transfer without colour.
[[nodiscard]] QBrush waitHatch();
// Behind the boxes, where nothing counts for the numbers.
[[nodiscard]] QColor untimedTint(const TimelineStyle& style);

// "forward" or "transfer 247 kB".
[[nodiscard]] QString boxLabel(const TimelineBox& box);
// Several lines on the box: kind, rank, step, start, duration, bytes; what was merged.
[[nodiscard]] QString boxDescription(const TimelineBox& box, const TimelineRow& row);
// Labels of ticks `step` apart. The first is an instant of the run; where that takes many digits the others are
// relative to it.
[[nodiscard]] QStringList tickLabels(const std::vector<Ns>& ticks, Ns step);

// Width of a label column in which "rank 1023" and "compute" do not touch; at least `least`.
[[nodiscard]] double labelsWidth(const std::vector<TimelineRow>& rows, const TimelineStyle& style, double least);

// Grid, axis, labels, what is not timed, boxes, links. Of a painter with a clip rectangle only the rows within it, with
// the axis at its top.
void paintTimeline(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                   const TimelineStyle& style);

}  // namespace dasgd::gui
