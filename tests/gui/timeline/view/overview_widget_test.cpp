#include "gui/timeline/view/overview_widget.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

class OverviewWidgetTest : public ::testing::Test {
protected:
    OverviewWidgetTest() {
        selection_.setExtent({0, 10'000 * kMs});
        selection_.setWindow({4'000 * kMs, 5'000 * kMs});
        widget_.resize(1000, 72);
        auto picture = std::make_shared<OverviewPicture>(makeOverview({0, 10'000 * kMs}, 10.0 * kMs));
        TimelineFrame frame;
        frame.rows = {{0, Lane::Compute}, {1, Lane::Compute}};
        frame.boxes = {{.row = 0, .rgb = 0x123456, .span = {.start = 0, .end = 5'000 * kMs}},
                       {.row = 1, .rgb = 0x654321, .span = {.start = 9'990 * kMs, .end = 10'000 * kMs}}};
        addTo(*picture, frame);
        widget_.setPicture(picture);
    }
    TimeSelection selection_;
    OverviewWidget widget_{selection_, testLook()};
};

TEST_F(OverviewWidgetTest, EachRankIsALineOfItsComputeLane) {
    const QImage& image = widget_.image();
    ASSERT_EQ(image.size(), QSize(1000, 2));
    EXPECT_EQ(image.pixel(499, 0) & 0xffffffU, 0x123456U);
    EXPECT_EQ(qAlpha(image.pixel(500, 0)), 0) << "the panel is seen";
    EXPECT_EQ(image.pixel(999, 1) & 0xffffffU, 0x654321U);
}

TEST_F(OverviewWidgetTest, ShowsWhereTheWindowIs) {
    EXPECT_EQ(widget_.windowRect().left(), 400);
    EXPECT_EQ(widget_.windowRect().right(), 500);
    selection_.setWindow({9'000 * kMs, 9'000 * kMs + 1000});
    EXPECT_GE(widget_.windowRect().width(), 2) << "never too narrow to be seen";
}

TEST_F(OverviewWidgetTest, MouseAndKeysMoveTheWindow) {
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, QPoint(700, 10));
    EXPECT_EQ(selection_.window().start, 6'500 * kMs);
    EXPECT_EQ(selection_.window().end, 7'500 * kMs);
    QTest::keyClick(&widget_, Qt::Key_Left);
    EXPECT_EQ(selection_.window().start, 6'000 * kMs);
    QTest::keyClick(&widget_, Qt::Key_Home);
    EXPECT_EQ(selection_.window().start, 0);
    QTest::keyClick(&widget_, Qt::Key_End);
    EXPECT_EQ(selection_.window().end, 10'000 * kMs);
}

TEST_F(OverviewWidgetTest, MarksTheRanksThatComeLateAndSaysSo) {
    EXPECT_TRUE(widget_.markRect(1).isEmpty());
    const QImage before = widget_.grab().toImage();
    widget_.setLate({{1, QStringLiteral("rank 1 comes +2.0 ms late")}});
    const QRectF mark = widget_.markRect(1);
    EXPECT_TRUE(widget_.markRect(0).isEmpty());
    EXPECT_GT(mark.top(), 36) << "in the lower of two lines";
    const QPoint inside(static_cast<int>(mark.left()) + 2, static_cast<int>(mark.center().y()));
    EXPECT_EQ(widget_.grab().toImage().pixelColor(inside), testLook().theme().warn);
    EXPECT_NE(before.pixelColor(inside), testLook().theme().warn);
    EXPECT_EQ(widget_.accessibleDescription(), QStringLiteral("rank 1 comes +2.0 ms late"));
    widget_.setLate({});
    EXPECT_EQ(widget_.grab().toImage(), before);
}

TEST_F(OverviewWidgetTest, AMarkAmongManyRanksIsHighEnoughToBeSeenAndInsideTheStrip) {
    auto picture = std::make_shared<OverviewPicture>(makeOverview({0, 10'000 * kMs}, 10.0 * kMs));
    TimelineFrame frame;
    for (int rank = 0; rank < 256; ++rank) frame.rows.push_back({rank, Lane::Compute});
    addTo(*picture, frame);
    widget_.setPicture(picture);
    widget_.setLate({{0, QStringLiteral("first")}, {255, QStringLiteral("last")}});
    for (const int rank : {0, 255}) {
        EXPECT_GE(widget_.markRect(rank).height(), 6) << rank;
        EXPECT_TRUE(QRectF(widget_.rect()).contains(widget_.markRect(rank))) << rank;
    }
}

TEST_F(OverviewWidgetTest, WantsNothingWhileItIsHidden) {
    QSignalSpy wanted(&widget_, &OverviewWidget::widthWanted);
    widget_.show();
    EXPECT_EQ(wanted.back()[0].toInt(), 1000);
    widget_.hide();
    EXPECT_EQ(wanted.back()[0].toInt(), 0);
}

}  // namespace
}  // namespace dasgd::gui
