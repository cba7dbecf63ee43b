// Comparison of two frames of a timeline: the part that is drawn alike need not be painted again. Pure.
#pragma once

#include "gui/data/spans/span_merge.h"

namespace dasgd::gui {

// The part of both windows in which the rows of both frames are drawn alike, except for a few pixels at its ends. Boxes
// that one window cuts lie outside, since their label and outline change. Empty (end <= start) if nothing is alike, or
// if the frames differ in rows or in the length of a pixel.
[[nodiscard]] TimeRange drawnAlike(const TimelineFrame& before, TimeRange windowBefore, const TimelineFrame& after,
                                   TimeRange windowAfter);

}  // namespace dasgd::gui
