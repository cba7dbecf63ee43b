#include "gui/timeline/model/overview_picture.h"

#include <gtest/gtest.h>

#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

TEST(OverviewPicture, HasALineForEachRankWhicheverFramesItComesFrom) {
    TimelineFrame frame;
    frame.rows = {{0, Lane::Compute}, {0, Lane::Comm}, {1, Lane::Compute}, {1, Lane::Comm}};
    TimelineFrame first = frame, second = frame;
    first.spans = 2;
    first.boxes = {{.row = 0, .rgb = 0x123456, .span = {.start = 0, .end = 50 * kMs}},
                   {.row = 1, .rgb = 0xffffff, .span = {.start = 0, .end = 90 * kMs}}};
    second.spans = 1;
    second.boxes = {{.row = 2, .rgb = 0x654321, .span = {.start = 99 * kMs, .end = 100 * kMs}}};
    OverviewPicture picture = makeOverview({0, 100 * kMs}, kMs);
    addTo(picture, first);
    addTo(picture, second);
    ASSERT_EQ(picture.width, 100);
    ASSERT_EQ(picture.ranks, 2);
    EXPECT_EQ(picture.spans, 3U);
    EXPECT_EQ(picture.rgba[49], 0xff123456U);
    EXPECT_EQ(picture.rgba[50], 0U) << "what the rank sent meanwhile is not drawn";
    EXPECT_EQ(picture.rgba[100 + 99], 0xff654321U);
    EXPECT_EQ(picture.rgba[100 + 98], 0U);
}

}  // namespace
}  // namespace dasgd::gui
