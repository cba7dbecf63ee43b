#include "gui/data/spans/step_marks.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(StepMarks, AStepBeginsWithItsFirstSpan) {
    const std::vector<TimelineItem> items{
        {.start = 0, .step = 5, .kind = SpanKind::Forward},  {.start = 10, .step = 5, .kind = SpanKind::Backward},
        {.start = 20, .step = 6, .kind = SpanKind::Forward}, {.start = 30, .step = 4, .kind = SpanKind::Eval},
        {.start = 40, .step = 9, .kind = SpanKind::Forward},
    };
    EXPECT_EQ(stepMarks(items), (std::vector<StepMark>{{5, 0}, {6, 20}, {9, 40}}));
}

TEST(StepMarks, LabelsAreOfRoundSteps) {
    std::vector<StepMark> marks;
    for (int step = 1; step <= 1'001; ++step) marks.push_back({step, step * 100});
    EXPECT_EQ(labelledSteps(marks, 1, 40), 1) << "100 pixels each";
    EXPECT_EQ(labelledSteps(marks, 10, 40), 5);
    EXPECT_EQ(labelledSteps(marks, 100, 40), 50);
    EXPECT_EQ(labelledSteps(marks, 1e5, 40), 50'000);
    EXPECT_EQ(labelledSteps({{1, 0}}, 1, 40), 0);
}

}  // namespace
}  // namespace dasgd::gui
