// Draws the boxes of a timeline, and says in words what they are.
#pragma once

#include <QBrush>
#include <QPainter>
#include <QString>

#include "gui/models/timeline/span_merge.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_layout.h"
#include "gui/timeline/timeline_style.h"

namespace dasgd::gui {

[[nodiscard]] inline bool isSeen(const QRectF& lane, const QRectF& seen) {
    return lane.bottom() >= seen.top() && lane.top() <= seen.bottom();
}

// Those that touch `seen`. Their hatches lie still on the time line, whatever the window.
void paintBoxes(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& seen);

// The colour of a kind as it is drawn. On a dark ground a skew is darkened towards it: its light tint of the transfer's
// colour would be the brightest there, and a wait must catch the eye.
[[nodiscard]] QColor colorOn(const QColor& ground, SpanKind kind, std::uint32_t rgb);

// Laid over the colour of a wait, which must differ from a transfer without colour.
[[nodiscard]] QBrush waitHatch();
// Over a skew, which is no transfer yet.
[[nodiscard]] QBrush skewHatch();

// Where a box of the row is drawn within its lane: all of it, or of a group the share that it stands for.
[[nodiscard]] QRectF heightOf(const TimelineBox& box, const TimelineRow& row, QRectF lane);

// "forward" or "transfer 247 kB".
[[nodiscard]] QString boxLabel(const TimelineBox& box);
// Several lines on the box: kind, rank, step, start, duration, bytes; what was merged.
[[nodiscard]] QString boxDescription(const TimelineBox& box, const TimelineRow& row);

}  // namespace dasgd::gui
