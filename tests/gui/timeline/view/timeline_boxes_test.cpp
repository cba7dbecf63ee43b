#include "gui/timeline/view/timeline_boxes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/data/spans/span_colors.h"

namespace dasgd::gui {
namespace {

const TimelineRow kGroupRow{.rank = 2, .lane = Lane::Compute, .ranks = 8, .place = 0};

TEST(TimelineBoxes, OfAGroupABoxIsAsHighAsItsShare) {
    const QRectF lane(100, 20, 500, 40);
    const TimelineBox box{.count = 2, .cover = 0.5F, .base = 0.25F};
    EXPECT_EQ(heightOf(box, kGroupRow, lane), QRectF(100, 30, 500, 20));
    EXPECT_EQ(heightOf(box, {.rank = 2}, lane), lane) << "of a rank all of the lane";
    const TimelineBox little{.count = 2, .cover = 0.001F};
    EXPECT_GE(heightOf(little, kGroupRow, lane).height(), 1) << "nothing vanishes";
}

TEST(TimelineBoxes, OfAGroupTheWordsSayShareAndRanks) {
    const TimelineBox box{.count = 2, .cover = 0.43F, .span = {.kind = SpanKind::Backward, .start = 0, .end = 2}};
    const QString words = boxDescription(box, kGroupRow);
    EXPECT_TRUE(words.contains(QStringLiteral("backward: 43.0 % of the time of 8 ranks"))) << words.toStdString();
}

TEST(TimelineBoxes, OnADarkGroundASkewIsDimmerThanTransferAndWaitAndStillSeen) {
    // Relative luminance, as WCAG defines it.
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
    };
    const QColor dark(0x1b, 0x1e, 0x24), light(0xff, 0xff, 0xff);
    const auto on = [](const QColor& ground, SpanKind kind) { return colorOn(ground, kind, rgbOf(kind)); };
    const double skew = luminance(on(dark, SpanKind::Skew));
    EXPECT_LT(skew, luminance(on(dark, SpanKind::Wait)));
    EXPECT_GE((luminance(on(dark, SpanKind::Transfer)) + 0.05) / (skew + 0.05), 2) << "told from a transfer";
    EXPECT_GE((skew + 0.05) / (luminance(dark) + 0.05), 3) << "told from the ground";
    for (const SpanKind kind : {SpanKind::Transfer, SpanKind::Wait, SpanKind::Forward}) {
        EXPECT_EQ(on(dark, kind), QColor::fromRgb(rgbOf(kind)));
    }
    EXPECT_EQ(on(light, SpanKind::Skew), QColor::fromRgb(rgbOf(SpanKind::Skew)));
}

}  // namespace
}  // namespace dasgd::gui
