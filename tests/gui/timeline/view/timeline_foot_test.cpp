#include "gui/timeline/view/timeline_foot.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

const std::vector<HiddenStep> kSteps{{10, 1.0, 4}, {11, 0.5, 4}, {12, 0.6, 3}};
const std::vector<StepMark> kMarks{{10, 1'000}, {11, 2'000}, {12, 3'000}, {13, 4'000}};

TEST(TimelineFoot, ABarLiesFromItsStepToTheNext) {
    const auto bars = hiddenBars(kSteps, kMarks, {{0, 10'000}, 100, 1'000});
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_DOUBLE_EQ(bars[1].left, 300);
    EXPECT_DOUBLE_EQ(bars[1].right, 400);
    EXPECT_DOUBLE_EQ(bars[1].share, 0.5);
    EXPECT_TRUE(barDescription(bars[1]).contains(QStringLiteral("step 11")));
    EXPECT_TRUE(barDescription(bars[2]).contains(QStringLiteral("mean of 3 ranks")));
}

TEST(TimelineFoot, StepsOfOneColumnAreTheirMeanAndSaySo) {
    const auto bars = hiddenBars(kSteps, kMarks, {{0, 1'000'000}, 0, 1'000});
    ASSERT_EQ(bars.size(), 1U);
    EXPECT_NEAR(bars[0].share, 0.7, 1e-12);
    EXPECT_EQ(bars[0].steps, 3);
    EXPECT_EQ(bars[0].ranks, 3);
    EXPECT_TRUE(barDescription(bars[0]).contains(QStringLiteral("mean of 3 steps from 10 to 12")));
}

TEST(TimelineFoot, AStepOfUnknownLengthHasNoBar) {
    EXPECT_TRUE(hiddenBars({{13, 1.0, 4}, {99, 1.0, 4}}, kMarks, {{0, 10'000}, 0, 1'000}).empty());
    EXPECT_TRUE(hiddenBars(kSteps, {}, {{0, 10'000}, 0, 1'000}).empty());
}

TEST(TimelineFoot, StaysAtTheBottomOfWhatIsSeen) {
    const std::vector<TimelineRow> rows{{0, Lane::Compute}, {0, Lane::Comm}};
    const TimelineLayout layout(rows, {0, 0, 500, 900}, {.foot = kFootHeight});
    EXPECT_DOUBLE_EQ(footOf(layout, layout.bounds()).bottom(), 900);
    EXPECT_DOUBLE_EQ(footOf(layout, {0, 100, 500, 300}).bottom(), 400);
    EXPECT_LE(layout.plot().bottom(), 900 - kFootHeight);
}

TEST(TimelineFoot, ANumberStaysWithinItsBarAndBelowTheLineOfAll) {
    const QRectF area(100, 14, 800, 36);
    const auto barOf = [&](double share, double width) {
        return QRectF(200, area.bottom() - share * area.height(), width, share * area.height());
    };
    for (const double share : {0.03, 0.3, 0.64, 0.7, 0.99}) {
        const QRectF bar = barOf(share, 30);
        const auto place = placeOfNumber(bar, area, 24);
        ASSERT_TRUE(place) << share;
        EXPECT_GE(place->left(), bar.left()) << share;
        EXPECT_LE(place->right(), bar.right()) << share;
        EXPECT_GT(place->top(), area.top()) << share;
        EXPECT_LE(place->bottom(), area.bottom()) << share;
        EXPECT_FALSE(placeOfNumber(barOf(share, 20), area, 24)) << "a neighbour would cut it";
    }
    EXPECT_LT(placeOfNumber(barOf(0.3, 30), area, 24)->bottom(), barOf(0.3, 30).top() + 1e-9) << "above the bar";
}

}  // namespace
}  // namespace dasgd::gui
