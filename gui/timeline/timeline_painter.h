// Draws a timeline on any paint device: the window's widget and the paper figure alike.
#pragma once

#include <QPainter>

#include "gui/models/timeline/span_merge.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_boxes.h"
#include "gui/timeline/timeline_layout.h"
#include "gui/timeline/timeline_style.h"

namespace dasgd::gui {

// Labels of ticks `step` apart. The first is an instant of the run; where that takes many digits the others are
// relative to it.
[[nodiscard]] QStringList tickLabels(const std::vector<Ns>& ticks, Ns step);

// Width of a label column in which "rank 1023" and "compute" do not touch, beside marks of `handle`; at least `least`.
[[nodiscard]] double labelsWidth(const std::vector<TimelineRow>& rows, const TimelineStyle& style, double least,
                                 double handle = 0);

// Of more links than that in sight none is drawn.
inline constexpr std::size_t kMostLinks = 3000;

// Grid, axis, labels, what is not timed, boxes, links, and the foot of a layout that has one. Of a painter with a clip
// rectangle only the rows within it, with the axis at its top and the foot at its bottom.
void paintTimeline(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                   const TimelineStyle& style, const TimelineMarks& marks = {});

// The same in two parts, the second over the first: rows, of which nothing needs to be painted outside `seen`; axis at
// the top of `seen` and foot at its bottom.
void paintTimelineRows(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                       const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                       const QRectF& seen);
void paintTimelineEdges(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                        const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                        const QRectF& seen);

}  // namespace dasgd::gui
