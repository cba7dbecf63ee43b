// Below the rows of a timeline: the hidden share of the averages step by step, and the numbers of the steps.
#pragma once

#include <QPainter>
#include <optional>
#include <vector>

#include "gui/models/timeline/span_merge.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_layout.h"
#include "gui/timeline/timeline_style.h"

namespace dasgd::gui {

inline constexpr double kStepsHeight = 18, kStripHeight = 52;
inline constexpr double kFootHeight = kStepsHeight + kStripHeight;

// A bar of the strip: a step, or several in one column of pixels.
struct HiddenBar {
    double left = 0, right = 0;
    double share = 0;  // mean over the steps
    int steps = 1;
    std::int64_t first = 0, last = 0;
    int ranks = 0;  // the fewest of its steps
};
// Of steps that begin where `marks` say. A step without an average has no bar.
[[nodiscard]] std::vector<HiddenBar> hiddenBars(const std::vector<HiddenStep>& steps,
                                                const std::vector<StepMark>& marks, const TimeScale& scale);
[[nodiscard]] QString barDescription(const HiddenBar& bar);
// Of a number `width` wide that says what a bar is: above the bar, else in its top where it would reach the line at the
// top of `area`. Never beyond the sides of the bar; nullopt where there is no room.
[[nodiscard]] std::optional<QRectF> placeOfNumber(const QRectF& bar, const QRectF& area, double width);

// At the bottom of `seen`, where rows are scrolled.
[[nodiscard]] QRectF footOf(const TimelineLayout& layout, const QRectF& seen);
void paintFoot(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
               const TimelineStyle& style, const TimelineMarks& marks, const QRectF& seen);
// Lines where the steps of the first rank begin, under its boxes, where there is room; those within `seen`.
[[nodiscard]] bool hasStepLines(const TimelineFrame& frame, double nsPerPixel);
void paintStepLines(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                    const TimelineStyle& style, const QRectF& seen);

}  // namespace dasgd::gui
