// What two frames of a timeline draw alike, so that it need not be painted again. Pure.
#pragma once

#include "gui/models/timeline/span_merge.h"

namespace dasgd::gui {

// The part of both windows in which `after` draws in the rows what `before` did, but for a few pixels at its ends: what
// one of the windows cuts (its label, its outline) lies outside. Both frames have the same rows and pixels of the same
// length; empty (end <= start) where nothing can be said.
[[nodiscard]] TimeRange drawnAlike(const TimelineFrame& before, TimeRange windowBefore, const TimelineFrame& after,
                                   TimeRange windowAfter);

}  // namespace dasgd::gui
