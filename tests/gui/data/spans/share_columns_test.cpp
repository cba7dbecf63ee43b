#include "gui/data/spans/share_columns.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

std::vector<TimelineBox> boxesOf(const ShareColumns& columns) {
    std::vector<TimelineBox> boxes;
    columns.boxes(3, boxes);
    return boxes;
}

TEST(ShareColumns, AShareIsThePartOfTheRanksTime) {
    ShareColumns columns({0, 400}, 100, 4);
    columns.add(SpanKind::Forward, 0, 100, 100, 1);
    columns.add(SpanKind::Forward, 0, 50, 50, 1);
    columns.add(SpanKind::Wait, 50, 50, 50, 1);
    const auto boxes = boxesOf(columns);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[0].span.kind, SpanKind::Forward);
    EXPECT_FLOAT_EQ(boxes[0].cover, 150.0F / 400);
    EXPECT_EQ(boxes[0].row, 3);
    EXPECT_EQ(boxes[1].span.kind, SpanKind::Wait);
    EXPECT_FLOAT_EQ(boxes[1].base, 150.0F / 400) << "above the other";
    EXPECT_FLOAT_EQ(boxes[1].cover, 50.0F / 400);
}

TEST(ShareColumns, ColumnsThatLookAlikeAreOneBox) {
    ShareColumns columns({0, 1'000}, 100, 2);
    columns.add(SpanKind::Backward, 0, 1'000, 1'000, 1);
    columns.add(SpanKind::Backward, 200, 300, 300, 1);
    const auto boxes = boxesOf(columns);
    ASSERT_EQ(boxes.size(), 3U);
    EXPECT_EQ(boxes[1].span.start, 200);
    EXPECT_EQ(boxes[1].span.end, 500);
    EXPECT_FLOAT_EQ(boxes[1].cover, 1);
}

TEST(ShareColumns, TheSumIsNeverMoreThanAll) {
    ShareColumns columns({0, 100}, 100, 1);
    columns.add(SpanKind::Forward, 0, 100, 100, 1);
    columns.add(SpanKind::Backward, 0, 100, 300, 1);
    const auto boxes = boxesOf(columns);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_FLOAT_EQ(boxes[0].cover + boxes[1].cover, 1);
}

TEST(ShareColumns, WhatLiesOutsideIsLeftOutAndNegativeInstantsHaveTheirColumn) {
    ShareColumns columns({-250, 50}, 100, 1);
    columns.add(SpanKind::Forward, -1'000, 500, 500, 1);
    columns.add(SpanKind::Forward, -200, 100, 100, 1);
    columns.add(SpanKind::Forward, 5'000, 100, 100, 1);
    const auto boxes = boxesOf(columns);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].span.start, -200);
    EXPECT_EQ(boxes[0].span.end, -100);
}

}  // namespace
}  // namespace dasgd::gui
