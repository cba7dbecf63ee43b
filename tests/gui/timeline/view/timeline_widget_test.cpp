#include "gui/timeline/view/timeline_widget.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

class TimelineWidgetTest : public ::testing::Test {
protected:
    TimelineWidgetTest() {
        selection_.setExtent({0, 10'000 * kMs});
        selection_.setWindow({1'000 * kMs, 2'000 * kMs});
        widget_.resize(1096, 340);
        widget_.show();
        auto frame = std::make_shared<TimelineFrame>();
        frame->rows = {{0, Lane::Compute}, {0, Lane::Comm}};
        frame->boxes = {
            {.row = 0, .rgb = 1, .span = {.kind = SpanKind::Forward, .start = 1'100 * kMs, .end = 1'200 * kMs}},
            {.row = 1, .rgb = 2, .span = {.kind = SpanKind::Reduce, .start = 1'150 * kMs, .end = 1'400 * kMs}}};
        widget_.setFrame(frame);
    }
    [[nodiscard]] QPoint at(Ns t, int row = 0) {
        const int y = row == 0 ? 40 : 90;
        return {static_cast<int>(std::lround(widget_.scale().xAt(t))), y};
    }
    void drag(Ns from, Ns to) {
        QTest::mousePress(&widget_, Qt::LeftButton, {}, at(from));
        QTest::mouseMove(&widget_, at(to));
        QTest::mouseRelease(&widget_, Qt::LeftButton, {}, at(to));
    }
    void wheel(Ns where, int delta, Qt::KeyboardModifiers keys = {}) {
        const QPointF point = at(where);
        QWheelEvent event(point, widget_.mapToGlobal(point), {}, {0, delta}, Qt::NoButton, keys, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&widget_, &event);
    }
    TimeSelection selection_;
    TimelineRows rows_;
    TimelineWidget widget_{selection_, rows_, testLook()};
};

TEST_F(TimelineWidgetTest, DragMarksTheTimeUnderTheHand) {
    QSignalSpy wanted(&widget_, &TimelineWidget::measureWanted);
    drag(1'200 * kMs, 1'500 * kMs);
    ASSERT_TRUE(selection_.marked());
    EXPECT_NEAR(static_cast<double>(selection_.marked()->start), 1.2e9, 1.1e6);
    EXPECT_NEAR(static_cast<double>(selection_.marked()->end), 1.5e9, 1.1e6);
    EXPECT_GE(wanted.count(), 1);
}

TEST_F(TimelineWidgetTest, WhereFollowingEndsThePictureIsOfTheWindowAsItIs) {
    selection_.setFollowing(true);
    selection_.setExtent({0, 10'000'300'333});
    QSignalSpy wanted(&widget_, &TimelineWidget::wanted);
    selection_.setFollowing(false);
    EXPECT_EQ(wanted.count(), 1) << "what was asked for lay on whole pixels";
    EXPECT_EQ(widget_.scale().window.end, selection_.window().end);
}

TEST_F(TimelineWidgetTest, ThePointerIsTheCursorOfAllViewsAndThatOfAnotherIsDrawn) {
    const QPoint place = at(1'300 * kMs);
    QMouseEvent move(QEvent::MouseMove, place, widget_.mapToGlobal(place), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&widget_, &move);
    ASSERT_TRUE(selection_.cursor());
    EXPECT_NEAR(static_cast<double>(*selection_.cursor()), 1.3e9, 1.1e6);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&widget_, &leave);
    EXPECT_FALSE(selection_.cursor());
    const QImage without = widget_.grab().toImage();
    selection_.setCursor(1'700 * kMs);
    const QImage with = widget_.grab().toImage();
    int changed = 0;
    for (int x = 0; x < with.width(); ++x) {
        const QRect column(x, 0, 1, with.height());
        if (with.copy(column) == without.copy(column)) continue;
        ++changed;
        EXPECT_LE(std::abs(x - at(1'700 * kMs).x()), 1) << "a line, and nothing else";
    }
    EXPECT_GE(changed, 1);
}

TEST_F(TimelineWidgetTest, AnswersToOtherSelectionsAreIgnored) {
    drag(1'200 * kMs, 1'500 * kMs);
    widget_.setMeasure({.range = {0, 5}, .ranks = 1});
    EXPECT_FALSE(widget_.measure());
    widget_.setMeasure({.range = *selection_.marked(), .ranks = 1});
    EXPECT_TRUE(widget_.measure());
}

TEST_F(TimelineWidgetTest, AClickClearsAndADoubleClickFits) {
    drag(1'200 * kMs, 1'500 * kMs);
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, at(1'700 * kMs));
    EXPECT_FALSE(selection_.marked());
    QTest::mouseDClick(&widget_, Qt::LeftButton, {}, at(1'700 * kMs));
    EXPECT_EQ(selection_.window().start, 0);
    EXPECT_EQ(selection_.window().end, 10'000 * kMs);
}

TEST_F(TimelineWidgetTest, TheWheelIsThePagesUntilTheTimelineHasTheFocusOrCtrlIsDown) {
    widget_.clearFocus();
    const TimeRange before = selection_.window();
    wheel(1'250 * kMs, 240);
    EXPECT_EQ(selection_.window().end, before.end);
    wheel(1'250 * kMs, 240, Qt::ControlModifier);
    EXPECT_LT(selection_.window().end - selection_.window().start, before.end - before.start);
}

TEST_F(TimelineWidgetTest, WheelZoomsAtThePointer) {
    widget_.activateWindow();
    widget_.setFocus();
    ASSERT_TRUE(eventually([this] { return widget_.hasFocus(); }));
    const Ns under = widget_.scale().timeAt(at(1'250 * kMs).x());
    wheel(1'250 * kMs, 240);
    EXPECT_LT(selection_.window().end - selection_.window().start, 750 * kMs);
    EXPECT_NEAR(widget_.scale().xAt(under), widget_.scale().left + widget_.scale().width / 4, 2);
}

TEST_F(TimelineWidgetTest, ShiftWheelPans) {
    wheel(1'250 * kMs, -120, Qt::ShiftModifier);
    EXPECT_EQ(selection_.window().start, 1'120 * kMs);
    EXPECT_EQ(selection_.window().end, 2'120 * kMs);
}

TEST_F(TimelineWidgetTest, EveryStateIsReachedByKeys) {
    QTest::keyClick(&widget_, Qt::Key_Right);
    EXPECT_EQ(selection_.window().start, 1'100 * kMs);
    QTest::keyClick(&widget_, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_TRUE(selection_.marked());
    QTest::keyClick(&widget_, Qt::Key_Escape);
    EXPECT_FALSE(selection_.marked());
    QTest::keyClick(&widget_, Qt::Key_F);
    EXPECT_TRUE(selection_.following());
    QTest::keyClick(&widget_, Qt::Key_Space);
    EXPECT_FALSE(selection_.following());
    QTest::keyClick(&widget_, Qt::Key_Plus);
    EXPECT_LT(selection_.window().end - selection_.window().start, 1'000 * kMs);
    QTest::keyClick(&widget_, Qt::Key_Home);
    EXPECT_EQ(selection_.window().start, 0);
    QTest::keyClick(&widget_, Qt::Key_End);
    EXPECT_EQ(selection_.window().end, 10'000 * kMs);
    QTest::keyClick(&widget_, Qt::Key_0);
    EXPECT_EQ(selection_.window().end - selection_.window().start, 10'000 * kMs);
}

TEST_F(TimelineWidgetTest, FindsTheBoxUnderThePoint) {
    const TimelineBox* forward = widget_.boxAt(QPointF(at(1'150 * kMs)));
    ASSERT_NE(forward, nullptr);
    EXPECT_EQ(forward->span.kind, SpanKind::Forward);
    EXPECT_EQ(widget_.boxAt(QPointF(at(1'500 * kMs))), nullptr);
    EXPECT_EQ(widget_.boxAt(QPointF(10, 40)), nullptr) << "the labels are no time";
}

TEST_F(TimelineWidgetTest, AsksForMoreThanItShows) {
    QSignalSpy wanted(&widget_, &TimelineWidget::wanted);
    selection_.setWindow({3'000 * kMs, 4'000 * kMs});
    ASSERT_EQ(wanted.count(), 1);
    const TimeRange range = wanted[0][0].value<TimelineView>().range;
    EXPECT_EQ(range.start, 2'500 * kMs);
    EXPECT_EQ(range.end, 4'500 * kMs);
}

class ManyRanks : public ::testing::Test {
protected:
    static constexpr int kRanks = 1'024;
    ManyRanks() {
        selection_.setExtent({0, 1'000 * kMs});
        selection_.setWindow({0, 1'000 * kMs});
        auto frame = std::make_shared<TimelineFrame>();
        for (int rank = 0; rank < kRanks; ++rank) {
            frame->rows.push_back({rank, Lane::Compute});
            frame->rows.push_back({rank, Lane::Comm});
            frame->boxes.push_back(
                {.row = 2 * rank, .rgb = qRgb(rank / 256, rank % 256, 200), .span = {.end = 500 * kMs}});
        }
        frame->links = {{.rank = 500, .launch = 650 * kMs, .use = 930 * kMs}};
        timeline_ = new TimelineWidget(selection_, rows_, testLook());
        timeline_->setFrame(frame);
        area_.setWidget(timeline_);
        area_.setWidgetResizable(true);
        area_.resize(900, 400);
        area_.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&area_));
    }
    void scrollTo(int y) {
        area_.verticalScrollBar()->setValue(y);
        QApplication::processEvents();
    }
    [[nodiscard]] QImage seen() { return area_.viewport()->grab().toImage(); }
    TimeSelection selection_;
    QScrollArea area_;
    TimelineRows rows_;
    TimelineWidget* timeline_ = nullptr;
};

TEST_F(ManyRanks, TheLastOfAThousandIsDrawn) {
    ASSERT_GT(timeline_->height(), 32'767) << "a pixmap of all ranks would be possible";
    scrollTo(area_.verticalScrollBar()->maximum());
    const QImage image = seen();
    const int x = static_cast<int>(timeline_->scale().xAt(250 * kMs));
    const QRgb last = qRgb((kRanks - 1) / 256, (kRanks - 1) % 256, 200);
    bool found = false;
    for (int y = 0; y < image.height(); ++y) found = found || image.pixel(x, y) == last;
    EXPECT_TRUE(found);
}

// The link goes from lane to lane of its rank, which is half in sight, and over no other row.
TEST_F(ManyRanks, ALinkStaysWithItsRank) {
    const TimelineLayout layout(timeline_->frame()->rows, QRectF(timeline_->rect()).adjusted(0, 0, 0, -4));
    const double upper = layout.lane(1'000).bottom(), lower = layout.lane(1'001).top();
    scrollTo(static_cast<int>(lower) - 1 - area_.viewport()->height());
    const QImage image = seen();
    const auto inked = [&](Ns t, int y) {
        return image.pixelColor(static_cast<int>(timeline_->scale().xAt(t)), y) != testLook().theme().panel;
    };
    const int between = static_cast<int>((upper + lower) / 2) - area_.verticalScrollBar()->value();
    EXPECT_TRUE(inked(790 * kMs, between) || inked(790 * kMs, between - 1));
    for (const Ns t : {650 * kMs, 930 * kMs}) {
        for (int y = 40; y < between - 4; ++y) EXPECT_FALSE(inked(t, y)) << t << " " << y << " of " << between;
    }
}

TEST_F(ManyRanks, TheTimeAxisStaysInSight) {
    const auto axis = [&] { return seen().copy(100, 0, 700, 20); };
    const QImage top = axis();
    QImage blank = top;
    blank.fill(testLook().theme().panel);
    ASSERT_NE(top, blank);
    scrollTo(20'011);
    EXPECT_EQ(axis(), top);
    const QPointF underTheAxis(timeline_->scale().xAt(250 * kMs), area_.verticalScrollBar()->value() + 10);
    EXPECT_EQ(timeline_->boxAt(underTheAxis), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
