#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QTableWidget>

#include "gui/timeline/overview_widget.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/widgets/timeline/kind_legend.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class TimelinePageTest : public WindowBench {
protected:
    template <class Widget>
    Widget* visible() {
        for (Widget* one : window_->findChildren<Widget*>()) {
            if (one->isVisible()) return one;
        }
        return nullptr;
    }
    void look() {
        workspace_.record({.steps = 200});
        open();
        window_->open("Timeline");
        ASSERT_TRUE(eventually([this] {
            return visible<OverviewWidget>() && !visible<OverviewWidget>()->image().isNull() &&
                   visible<TimelineWidget>()->frame()->spans > 0 && visible<QTableWidget>()->rowCount() > 3;
        }));
    }
    [[nodiscard]] TimeSelection& selection() { return window_->session().selection(); }
};

TEST_F(TimelinePageTest, TheStripHasALineForEachRankAndMovesTheWindow) {
    look();
    auto* strip = visible<OverviewWidget>();
    EXPECT_EQ(strip->image().height(), 4);
    const TimeRange before = selection().window();
    QTest::mouseClick(strip, Qt::LeftButton, {}, QPoint(strip->width() / 4, 20));
    const TimeRange extent = selection().extent();
    const TimeRange after = selection().window();
    EXPECT_EQ(after.end - after.start, before.end - before.start);
    EXPECT_NEAR(static_cast<double>((after.start + after.end) / 2 - extent.start),
                static_cast<double>(extent.end - extent.start) / 4, 2e7);
    QTest::keyClick(strip, Qt::Key_Right);
    EXPECT_GT(selection().window().start, after.start);
}

TEST_F(TimelinePageTest, TheTableIsOfTheWindowOrOfWhatIsSelectedAndCanBeCopied) {
    look();
    EXPECT_NE(label(QStringLiteral("in the window, mean of 4 ranks")), nullptr);
    selection().mark(TimeRange{1'000'000'000, 1'200'000'000});
    ASSERT_TRUE(eventually([this] { return label(QStringLiteral("selected, mean of 4 ranks")) != nullptr; }));
    QTest::mouseClick(button<QPushButton>(QStringLiteral("Copy table")), Qt::LeftButton);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_GT(lines.size(), 4);
    double sum = 0;
    for (const QString& line : lines.mid(1)) {
        sum += line.section(QLatin1Char('\t'), 1, 1).toDouble();
        if (line.startsWith(QStringLiteral("idle"))) break;
    }
    EXPECT_NEAR(sum, 200, 1e-3) << "adds up to its length";
}

TEST_F(TimelinePageTest, InANarrowWindowTheTableMakesRoomAndComesBackByKey) {
    look();
    window_->resize(1280, 720);
    EXPECT_TRUE(eventually([this] { return visible<QTableWidget>() == nullptr; }));
    QTest::keyClick(window_.get(), Qt::Key_I, Qt::ControlModifier);
    EXPECT_TRUE(eventually([this] { return visible<QTableWidget>() != nullptr; }));
}

TEST_F(TimelinePageTest, KeysZoomPanAndGoToTheNextWait) {
    look();
    auto* timeline = visible<TimelineWidget>();
    EXPECT_TRUE(timeline->hasFocus());
    const auto width = [this] { return selection().window().end - selection().window().start; };
    const Ns before = width();
    QTest::keyClick(timeline, Qt::Key_W);
    EXPECT_LT(width(), before);
    QTest::keyClick(timeline, Qt::Key_S);
    const Ns start = selection().window().start;
    QTest::keyClick(timeline, Qt::Key_D);
    EXPECT_GT(selection().window().start, start);
    QTest::keyClick(timeline, Qt::Key_A);
    EXPECT_NEAR(static_cast<double>(selection().window().start), static_cast<double>(start), 2);
}

TEST_F(TimelinePageTest, PinsAndHiddenKindsSurviveTheChangeOfPage) {
    look();
    auto* timeline = visible<TimelineWidget>();
    QTest::keyClick(timeline, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(timeline, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(timeline, Qt::Key_P);
    QTest::keyClick(visible<KindToggle>(), Qt::Key_Space);
    EXPECT_NE(label(QStringLiteral("not drawn: forward; the numbers count them")), nullptr);
    const auto isThere = [](const TimelineWidget* one) {
        const TimelineFramePtr& frame = one->frame();
        return frame->spans > 0 && frame->rows.front().rank == 1 &&
               std::ranges::none_of(frame->boxes, [](const TimelineBox& box) {
                   return box.count == 1 && box.span.kind == SpanKind::Forward;
               });
    };
    EXPECT_TRUE(eventually([&] { return isThere(timeline); }));
    window_->open("Run");
    EXPECT_TRUE(eventually([&] { return visible<TimelineWidget>() && isThere(visible<TimelineWidget>()); }))
        << "the same rows on every page";
    window_->open("Timeline");
    EXPECT_TRUE(eventually([&] { return visible<TimelineWidget>() == timeline && isThere(timeline); }));
}

TEST_F(TimelinePageTest, LatenessAndHiddenStepsArrive) {
    look();
    EXPECT_TRUE(eventually([this] {
        const auto* timeline = visible<TimelineWidget>();
        return timeline->marks().notes.size() == 4 && !timeline->marks().hidden.steps.empty();
    }));
    EXPECT_NE(label(QStringLiteral("beyond noise")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
