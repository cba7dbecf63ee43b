// Painting of a timeline on any paint device, for the window and for figures on paper.
#pragma once

#include <QPainter>

#include "gui/data/spans/span_merge.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_boxes.h"
#include "gui/timeline/view/timeline_layout.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

// Labels of ticks `step` nanoseconds apart: instants of the run in seconds. If these need more than three decimals, all
// but the first are relative to the first.
[[nodiscard]] QStringList tickLabels(const std::vector<Ns>& ticks, Ns step);

// The same in milliseconds, for times from a zero of the reader's choice.
[[nodiscard]] QStringList millisecondLabels(const std::vector<Ns>& ticks);

// Width of a label column in which names of ranks and of lanes do not touch, beside a mark `handle` wide; at least
// `least`.
[[nodiscard]] double labelsWidth(const std::vector<TimelineRow>& rows, const TimelineStyle& style, double least,
                                 double handle = 0);

// Largest number of visible links; of more none is drawn.
inline constexpr std::size_t kMostLinks = 3000;

// Paints grid, axis, labels, untimed intervals, boxes, links, and the foot if the layout has one. With a clip rectangle
// only the rows within it are painted, with the axis at its top and the foot at its bottom.
void paintTimeline(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                   const TimelineStyle& style, const TimelineMarks& marks = {});

// The two parts of paintTimeline(), the second painted over the first: the rows within `seen`; then the axis at the top
// of `seen` and the foot at its bottom.
void paintTimelineRows(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                       const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                       const QRectF& seen);
void paintTimelineEdges(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                        const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                        const QRectF& seen);

}  // namespace dasgd::gui
