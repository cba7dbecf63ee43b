#include "gui/kit/plots/plot_zoom.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <cmath>

#include "gui/kit/plots/plot_view.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/curves.h"

namespace dasgd::gui {
namespace {

// A plot that is seen.
class PlotZoomTest : public ::testing::Test {
protected:
    PlotZoomTest() {
        page_.resize(600, 300);
        view_ = new PlotView(testLook());
        view_->setParent(&page_);
        view_->setGeometry(0, 0, 500, 280);
        view_->setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .wholeX = true});
        view_->setCurves({ramp(2)});
        page_.show();
        // The first drawing decides where the axes are.
        view_->grab();
        QTest::qWait(20);
    }
    QWidget* canvas() { return view_->findChild<QCustomPlot*>(); }
    // True where the plot or the page around it took it.
    bool turnWheel(Qt::KeyboardModifiers modifiers = {}, int angle = 120) {
        const QPointF at(250, 150);
        QWheelEvent wheel(at, canvas()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(canvas(), &wheel);
        return wheel.isAccepted();
    }
    double width() const { return view_->shown().x.second - view_->shown().x.first; }

    QWidget page_;
    PlotView* view_;
};

TEST_F(PlotZoomTest, TheWheelTurnsThePageUntilThePlotHasTheFocusOrCtrlIsDown) {
    QPushButton other(&page_);
    other.show();
    other.setFocus();
    ASSERT_FALSE(view_->hasFocus());
    EXPECT_FALSE(turnWheel());
    EXPECT_FALSE(view_->shown().zoomed);
    EXPECT_TRUE(turnWheel(Qt::ControlModifier));
    EXPECT_LT(width(), 100);
    view_->showAll();
    page_.activateWindow();
    view_->setFocus();
    ASSERT_TRUE(eventually([&] { return view_->hasFocus(); }));
    EXPECT_TRUE(turnWheel());
    EXPECT_LT(width(), 100);
}

TEST_F(PlotZoomTest, TheWheelOverAPlotScrollsThePageAroundIt) {
    QScrollArea around;
    around.resize(520, 200);
    around.setWidget(&page_);
    around.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&around));
    view_->clearFocus();
    const auto top = [&around] { return around.verticalScrollBar()->value(); };
    EXPECT_FALSE(turnWheel()) << "it is at its top";
    EXPECT_EQ(top(), 0);
    EXPECT_TRUE(turnWheel({}, -120));
    EXPECT_GT(top(), 0);
    EXPECT_FALSE(view_->shown().zoomed);
    EXPECT_TRUE(turnWheel());
    EXPECT_EQ(top(), 0);
    around.takeWidget();
}

TEST_F(PlotZoomTest, ADragZoomsAndADoubleClickShowsEverything) {
    QSignalSpy clicks(view_, &PlotView::clickedAt);
    QTest::mousePress(canvas(), Qt::LeftButton, {}, {150, 140});
    QTest::mouseMove(canvas(), {200, 142});
    QTest::mouseMove(canvas(), {300, 142});
    QTest::mouseRelease(canvas(), Qt::LeftButton, {}, {300, 142});
    EXPECT_TRUE(view_->shown().zoomed);
    EXPECT_GT(width(), 10);
    EXPECT_LT(width(), 60);
    EXPECT_EQ(clicks.count(), 0) << "a drag is no click";
    const auto part = view_->shown().x;
    view_->setCurves({ramp(3)});
    EXPECT_EQ(view_->shown().x, part) << "what comes in live does not take the part away";
    QTest::mouseDClick(canvas(), Qt::LeftButton, {}, {200, 140});
    EXPECT_FALSE(view_->shown().zoomed);
    EXPECT_EQ(width(), 100);
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, {200, 140});
    EXPECT_GE(clicks.count(), 1);
}

TEST_F(PlotZoomTest, KeysZoomPanAndShowEverything) {
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Plus);
    EXPECT_NEAR(width(), 80, 1);
    const double left = view_->shown().x.first;
    QTest::keyClick(view_, Qt::Key_Right);
    EXPECT_GT(view_->shown().x.first, left);
    EXPECT_NEAR(width(), 80, 1);
    QTest::keyClick(view_, Qt::Key_0);
    EXPECT_EQ(width(), 100);
    view_->setAxes({.x = QStringLiteral("epoch"), .y = QStringLiteral("loss")});
    EXPECT_FALSE(view_->shown().zoomed) << "another axis has other parts";
}

TEST_F(PlotZoomTest, TheCursorStandsOnRecordedStepsAndSaysWhole) {
    QTest::mouseMove(canvas(), {222, 140});
    ASSERT_TRUE(view_->cursor());
    EXPECT_EQ(*view_->cursor(), std::round(*view_->cursor()));
    const int step = static_cast<int>(*view_->cursor());
    EXPECT_EQ(view_->accessibleDescription(),
              QStringLiteral("step %1\nramp  %2").arg(step).arg(QString::number(2.0 * step, 'f', 2)));
    QTest::keyClick(view_, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(*view_->cursor(), step + 1);
    QTest::keyClick(view_, Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(*view_->cursor(), step);
    QTest::keyClick(view_, Qt::Key_Escape);
    EXPECT_FALSE(view_->cursor());
    view_->setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .wholeX = true, .legend = false});
    view_->setCurves(std::vector<Curve>(100, ramp(1)));
    view_->grab();
    QTest::mouseMove(canvas(), {230, 140});
    EXPECT_TRUE(view_->accessibleDescription().endsWith(QStringLiteral("and 88 more")));
}

}  // namespace
}  // namespace dasgd::gui
