#include "gui/data/spans/step_marks.h"

#include <algorithm>

namespace dasgd::gui {

std::vector<StepMark> stepMarks(const std::vector<TimelineItem>& items) {
    std::vector<StepMark> marks;
    for (const TimelineItem& item : items) {
        // An evaluation counts to the step before it, a snapshot to the step of its average.
        if (item.kind == SpanKind::Window || (!marks.empty() && item.step <= marks.back().step)) continue;
        if (item.step <= 0) continue;
        marks.push_back({item.step, item.start});
    }
    return marks;
}

std::int64_t labelledSteps(const std::vector<StepMark>& marks, double nsPerPixel, double least) {
    if (marks.size() < 2 || nsPerPixel <= 0) return 0;
    const double pixels = static_cast<double>(marks.back().start - marks.front().start) / nsPerPixel;
    const auto steps = static_cast<double>(marks.back().step - marks.front().step);
    const double wanted = std::max(1.0, least * steps / std::max(1.0, pixels));
    for (std::int64_t decade = 1;; decade *= 10) {
        for (const std::int64_t factor : {1, 2, 5}) {
            if (static_cast<double>(factor * decade) >= wanted) return factor * decade;
        }
    }
}

}  // namespace dasgd::gui
