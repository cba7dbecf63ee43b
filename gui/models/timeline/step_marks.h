// Where the steps of a rank begin, and which of them an axis has room for. Pure.
#pragma once

#include <vector>

#include "gui/models/timeline/span_merge.h"

namespace dasgd::gui {

// The first item of each step, of the items of a compute lane by start. Steps that begin in one bucket of a level of
// detail have one mark, that of the last of them.
[[nodiscard]] std::vector<StepMark> stepMarks(const std::vector<TimelineItem>& items);

// 1, 2 or 5 times a power of ten: every so many steps has a label, where a label takes `least` pixels and the marks lie
// `nsPerPixel` apart. 0: fewer than two marks.
[[nodiscard]] std::int64_t labelledSteps(const std::vector<StepMark>& marks, double nsPerPixel, double least);

}  // namespace dasgd::gui
