#include "gui/timeline/timeline_boxes.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

const TimelineRow kGroup{.rank = 2, .lane = Lane::Compute, .ranks = 8, .place = 0};

TEST(TimelineBoxes, OfAGroupABoxIsAsHighAsItsShare) {
    const QRectF lane(100, 20, 500, 40);
    const TimelineBox box{.count = 2, .cover = 0.5F, .base = 0.25F};
    EXPECT_EQ(heightOf(box, kGroup, lane), QRectF(100, 30, 500, 20));
    EXPECT_EQ(heightOf(box, {.rank = 2}, lane), lane) << "of a rank all of the lane";
    const TimelineBox little{.count = 2, .cover = 0.001F};
    EXPECT_GE(heightOf(little, kGroup, lane).height(), 1) << "nothing vanishes";
}

TEST(TimelineBoxes, OfAGroupTheWordsSayShareAndRanks) {
    const TimelineBox box{.count = 2, .cover = 0.43F, .span = {.kind = SpanKind::Backward, .start = 0, .end = 2}};
    const QString words = boxDescription(box, kGroup);
    EXPECT_TRUE(words.contains(QStringLiteral("backward: 43.0 % of the time of 8 ranks"))) << words.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
