#include "gui/timeline/overview_widget.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

constexpr Ns kMs = 1'000'000;

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

TEST_F(OverviewWidgetTest, WantsNothingWhileItIsHidden) {
    QSignalSpy wanted(&widget_, &OverviewWidget::widthWanted);
    widget_.show();
    EXPECT_EQ(wanted.back()[0].toInt(), 1000);
    widget_.hide();
    EXPECT_EQ(wanted.back()[0].toInt(), 0);
}

}  // namespace
}  // namespace dasgd::gui
