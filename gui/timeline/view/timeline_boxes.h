// Boxes of a timeline: painting and description.
#pragma once

#include <QBrush>
#include <QPainter>
#include <QString>

#include "gui/data/spans/span_merge.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_layout.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

[[nodiscard]] inline bool isSeen(const QRectF& lane, const QRectF& seen) {
    return lane.bottom() >= seen.top() && lane.top() <= seen.bottom();
}

// Paints the boxes that touch `seen`. Hatches are fixed to the time line, so they do not move when the window does.
void paintBoxes(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& seen);

// The colour of a kind as it is drawn. On a dark ground a skew is darkened: its light tint of the transfer's colour
// would otherwise be brighter than a wait, which must stand out.
[[nodiscard]] QColor colorOn(const QColor& ground, SpanKind kind, std::uint32_t rgb);

// Hatch over a wait, so that it differs from a transfer without colour too.
[[nodiscard]] QBrush waitHatch();
// Hatch over a skew, which is not yet a transfer.
[[nodiscard]] QBrush skewHatch();

// The part of the lane's height that a box covers: all of it, or in a row of a group the share of ranks.
[[nodiscard]] QRectF heightOf(const TimelineBox& box, const TimelineRow& row, QRectF lane);

// Label of a box: "forward" or "transfer 247 kB".
[[nodiscard]] QString boxLabel(const TimelineBox& box);
// Description of a box in several lines: kind, rank, step, start, duration, bytes, and the number of merged spans.
[[nodiscard]] QString boxDescription(const TimelineBox& box, const TimelineRow& row);

}  // namespace dasgd::gui
