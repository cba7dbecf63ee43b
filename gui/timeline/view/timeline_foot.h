// Foot of a timeline, below its rows: a strip with the hidden share of the averages of each step, and the step numbers.
#pragma once

#include <QPainter>
#include <optional>
#include <vector>

#include "gui/data/spans/span_merge.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_layout.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

inline constexpr double kStepsHeight = 18, kStripHeight = 52;
inline constexpr double kFootHeight = kStepsHeight + kStripHeight;

// A bar of the strip: one step, or several that share a column of pixels.
struct HiddenBar {
    double left = 0, right = 0;
    double share = 0;  // mean hidden share over the steps, 0 to 1
    int steps = 1;
    std::int64_t first = 0, last = 0;
    int ranks = 0;  // number of ranks behind a step, the smallest over the steps
};
// Bars of the strip; `marks` give the starts of the steps. A step without an average has no bar.
[[nodiscard]] std::vector<HiddenBar> hiddenBars(const std::vector<HiddenStep>& steps,
                                                const std::vector<StepMark>& marks, const TimeScale& scale);
[[nodiscard]] QString barDescription(const HiddenBar& bar);
// Rectangle for a bar's number, `width` pixels wide: above the bar, or inside its top if it would reach the line at the
// top of `area`. It is as wide as the bar; nullopt if there is no room.
[[nodiscard]] std::optional<QRectF> placeOfNumber(const QRectF& bar, const QRectF& area, double width);

// Rectangle of the foot, at the bottom of `seen` where rows are scrolled.
[[nodiscard]] QRectF footOf(const TimelineLayout& layout, const QRectF& seen);
void paintFoot(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
               const TimelineStyle& style, const TimelineMarks& marks, const QRectF& seen);
// Lines at the starts of the first rank's steps, painted below the boxes within `seen`; hasStepLines() is false if they
// would be too dense.
[[nodiscard]] bool hasStepLines(const TimelineFrame& frame, double nsPerPixel);
void paintStepLines(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                    const TimelineStyle& style, const QRectF& seen);

}  // namespace dasgd::gui
