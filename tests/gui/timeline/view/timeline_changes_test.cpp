#include "gui/timeline/view/timeline_changes.h"

#include <gtest/gtest.h>

#include "gui/timeline/view/timeline_painter.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

TimelineBox boxOf(std::int32_t row, Ns start, Ns end) {
    return {.row = row, .rgb = 1, .span = {.kind = SpanKind::Forward, .start = start * kMs, .end = end * kMs}};
}

TimelineFrame frameOf(std::vector<TimelineBox> boxes) {
    TimelineFrame frame;
    frame.nsPerPixel = kMs;
    frame.rows = {{0, Lane::Compute}, {0, Lane::Comm}};
    frame.boxes = std::move(boxes);
    return frame;
}

// Range that looks alike in windows from 0 to 100 ms before and from 40 to 140 ms after.
TimeRange alike(const TimelineFrame& before, const TimelineFrame& after) {
    return drawnAlike(before, {0, 100 * kMs}, after, {40 * kMs, 140 * kMs});
}

TEST(TimelineChanges, WhatBothWindowsShowIsAlikeWhereNothingChanged) {
    const TimelineFrame before = frameOf({boxOf(0, 10, 30), boxOf(0, 50, 60), boxOf(1, 70, 80)});
    TimelineFrame after = before;
    after.boxes = {boxOf(0, 50, 60), boxOf(0, 110, 120), boxOf(1, 70, 80)};
    const TimeRange kept = alike(before, after);
    EXPECT_EQ(kept.start, 40 * kMs);
    EXPECT_EQ(kept.end, 100 * kMs);
}

TEST(TimelineChanges, EndsAtTheFirstRecordThatCameLateInAnyRow) {
    const TimelineFrame before = frameOf({boxOf(0, 50, 60), boxOf(0, 85, 90), boxOf(1, 70, 80)});
    EXPECT_EQ(alike(before, frameOf({boxOf(0, 50, 60), boxOf(0, 85, 90), boxOf(1, 62, 65), boxOf(1, 70, 80)})).end,
              62 * kMs);
    EXPECT_EQ(alike(before, frameOf({boxOf(0, 50, 60), boxOf(1, 70, 80)})).end, 85 * kMs) << "one has gone";
    EXPECT_EQ(alike(before, frameOf({boxOf(0, 50, 61), boxOf(0, 85, 90), boxOf(1, 70, 80)})).end, 50 * kMs)
        << "one has become longer";
}

TEST(TimelineChanges, LeavesOutWhatAWindowCuts) {
    const TimelineFrame cut = frameOf({boxOf(0, 30, 55), boxOf(1, 95, 105)});
    const TimeRange kept = alike(cut, cut);
    EXPECT_EQ(kept.start, 55 * kMs) << "its label is where the window begins";
    EXPECT_EQ(kept.end, 95 * kMs);
}

TEST(TimelineChanges, LinksGapsAndStepsCountToo) {
    const TimelineFrame before = frameOf({boxOf(0, 50, 60)});
    TimelineFrame linked = before, untimed = before, stepped = before;
    linked.links = {{0, 71 * kMs, 75 * kMs}};
    untimed.untimed = {{0, {66 * kMs, 90 * kMs}}};
    stepped.steps = {{3, 64 * kMs}};
    EXPECT_EQ(alike(before, linked).end, 71 * kMs);
    EXPECT_EQ(alike(untimed, before).end, 66 * kMs);
    EXPECT_EQ(alike(before, stepped).end, 64 * kMs);
}

TEST(TimelineChanges, SaysNothingWhereAllMayHaveChanged) {
    const TimelineFrame before = frameOf({boxOf(0, 50, 60)});
    TimelineFrame other = before, many = before;
    other.rows.pop_back();
    many.links.resize(kMostLinks + 1);
    for (const TimelineFrame& after : {other, many}) {
        const TimeRange kept = alike(before, after);
        EXPECT_LE(kept.end, kept.start);
    }
    const TimeRange apart = drawnAlike(before, {0, 100}, before, {200, 300});
    EXPECT_LE(apart.end, apart.start);
}

}  // namespace
}  // namespace dasgd::gui
