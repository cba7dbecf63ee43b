// Pins, groups and order of the timeline widget's rows, by keys and clicks (gui/timeline/view/timeline_marks.cpp).
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "gui/timeline/view/timeline_widget.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class TimelineMarksTest : public ::testing::Test {
protected:
    TimelineMarksTest() {
        rows_.setRun(QStringLiteral("run"), 4);
        widget_.resize(900, 500);
        widget_.show();
        QCoreApplication::processEvents();
    }
    void key(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&widget_, key, with); }
    // Position in the label column, `x` from its left.
    [[nodiscard]] QPoint label(std::size_t place, int x) const {
        return {x, static_cast<int>(widget_.layout().pair(2 * place).center().y())};
    }
    TimeSelection selection_;
    TimelineRows rows_;
    TimelineWidget widget_{selection_, rows_, testLook()};
};

TEST_F(TimelineMarksTest, PPinsTheRowThatTheKeysWentTo) {
    key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_P);
    EXPECT_EQ(rows_.plan()->front().ranks.front(), 2);
    EXPECT_TRUE(rows_.plan()->front().pinned);
}

TEST_F(TimelineMarksTest, TheRowOfTheKeysStaysTheSameRankWhereverItMoves) {
    for (int i = 0; i < 3; ++i) key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_P);
    ASSERT_EQ(rows_.plan()->front().ranks.front(), 2) << "it is on top now";
    key(Qt::Key_P);
    EXPECT_FALSE(rows_.plan()->front().pinned) << "the same key takes the pin away again";
    EXPECT_EQ(rows_.plan()->front().ranks.front(), 0);
    key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_P);
    EXPECT_EQ(rows_.plan()->front().ranks.front(), 3) << "and the next one is that below it";
}

TEST_F(TimelineMarksTest, PPinsTheRowUnderThePointer) {
    QTest::mouseMove(&widget_, label(3, 400));
    key(Qt::Key_P);
    EXPECT_EQ(rows_.plan()->front().ranks.front(), 3);
}

TEST_F(TimelineMarksTest, AClickOnThePinPinsAndOneBesideItDoesNot) {
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, label(1, 40));
    EXPECT_FALSE(rows_.plan()->front().pinned);
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, label(1, 6));
    EXPECT_EQ(rows_.plan()->front().ranks.front(), 1);
    EXPECT_FALSE(selection_.marked()) << "labels are no time";
}

TEST_F(TimelineMarksTest, KeysCollapseOpenAndSort) {
    key(Qt::Key_G);
    ASSERT_EQ(rows_.plan()->size(), 1U);
    key(Qt::Key_Up, Qt::ShiftModifier);
    key(Qt::Key_Return);
    EXPECT_EQ(rows_.plan()->size(), 5U) << "the group and its ranks";
    key(Qt::Key_L);
    EXPECT_EQ(rows_.sort(), RankSort::LateFirst);
}

TEST_F(TimelineMarksTest, AClickOnAGroupOpensIt) {
    key(Qt::Key_G);
    QTest::mouseClick(&widget_, Qt::LeftButton, {}, label(0, 60));
    EXPECT_TRUE(rows_.plan()->front().open);
}

TEST_F(TimelineMarksTest, AnotherPlanAndOtherKindsAreAskedFor) {
    QSignalSpy wanted(&widget_, &TimelineWidget::wanted);
    rows_.togglePin(2);
    ASSERT_GE(wanted.count(), 1);
    EXPECT_EQ(wanted.last()[0].value<TimelineView>().plan, rows_.plan());
    rows_.setShown(SpanKind::Wait, false);
    EXPECT_TRUE(contains(wanted.last()[0].value<TimelineView>().hidden, SpanKind::Wait));
}

TEST_F(TimelineMarksTest, OnlyWhatIsBeyondNoiseIsMarked) {
    Lateness lateness;
    lateness.ranks = {{.rank = 0, .lateNs = 5e6, .noiseNs = 9e6}, {.rank = 1, .lateNs = 5e7, .noiseNs = 9e6}};
    rows_.setLateness(lateness);
    EXPECT_EQ(widget_.marks().notes.at(0).text, QStringLiteral("+5.0 ms"));
    EXPECT_FALSE(widget_.marks().notes.at(0).beyondNoise);
    EXPECT_EQ(widget_.marks().notes.at(1).text, QStringLiteral("+50 ms"));
    EXPECT_TRUE(widget_.marks().notes.at(1).beyondNoise);
}

TEST_F(TimelineMarksTest, WhatWasKnownOfTheRanksBeforeItWasMadeStandsBesideThem) {
    Lateness lateness;
    lateness.ranks = {{.rank = 0, .lateNs = 1e6}, {.rank = 3, .lateNs = 9e6}};
    rows_.setLateness(lateness);
    const TimelineWidget later(selection_, rows_, testLook());
    ASSERT_EQ(later.marks().notes.size(), 2U);
    EXPECT_EQ(later.marks().notes.at(3).text, widget_.marks().notes.at(3).text);
    EXPECT_FALSE(later.marks().notes.at(3).text.isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
