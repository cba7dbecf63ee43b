// Beginnings of a rank's steps, and the choice of those that an axis labels. Pure.
#pragma once

#include <vector>

#include "gui/data/spans/span_merge.h"

namespace dasgd::gui {

// The first item of each step. `items`: of a compute lane, ordered by start. Steps that begin in one bucket of a level
// of detail share a mark, with the number of the last of them.
[[nodiscard]] std::vector<StepMark> stepMarks(const std::vector<TimelineItem>& items);

// Distance between labelled steps, 1, 2 or 5 times a power of ten, if a label takes `least` pixels and a pixel is
// `nsPerPixel`. 0: fewer than two marks.
[[nodiscard]] std::int64_t labelledSteps(const std::vector<StepMark>& marks, double nsPerPixel, double least);

}  // namespace dasgd::gui
