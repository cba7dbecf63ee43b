// Keys of the timeline widget (gui/timeline/view/timeline_keys.cpp).
#include <gtest/gtest.h>

#include <QTest>

#include "gui/timeline/view/timeline_widget.h"
#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

class TimelineKeysTest : public ::testing::Test {
protected:
    TimelineKeysTest() {
        selection_.setExtent({0, 10'000 * kMs});
        auto frame = std::make_shared<TimelineFrame>();
        frame->rows = {{0, Lane::Compute}, {0, Lane::Comm}};
        for (const Ns start : {2'000 * kMs, 5'000 * kMs, 5'300 * kMs}) {
            frame->boxes.push_back({.span = {.kind = SpanKind::Wait, .start = start, .end = start + 100 * kMs}});
        }
        widget_.resize(900, 200);
        widget_.setFrame(frame);
        selection_.setWindow({4'000 * kMs, 4'400 * kMs});
    }
    [[nodiscard]] Ns middle() const { return (selection_.window().start + selection_.window().end) / 2; }
    TimeSelection selection_;
    TimelineRows rows_;
    TimelineWidget widget_{selection_, rows_, testLook()};
};

TEST_F(TimelineKeysTest, BracketsGoFromWaitToWait) {
    QTest::keyClick(&widget_, Qt::Key_BracketRight);
    EXPECT_EQ(middle(), 5'050 * kMs);
    QTest::keyClick(&widget_, Qt::Key_BracketRight);
    EXPECT_EQ(middle(), 5'350 * kMs);
    QTest::keyClick(&widget_, Qt::Key_BracketLeft);
    QTest::keyClick(&widget_, Qt::Key_BracketLeft);
    EXPECT_EQ(middle(), 2'050 * kMs);
    QTest::keyClick(&widget_, Qt::Key_BracketLeft);
    EXPECT_EQ(middle(), 1'650 * kMs) << "none is known: further that way, to read more";
}

TEST_F(TimelineKeysTest, BracketsStayWhereWaitsAreHidden) {
    rows_.setShown(SpanKind::Wait, false);
    const TimeRange before = selection_.window();
    for (const Qt::Key key : {Qt::Key_BracketRight, Qt::Key_BracketLeft}) {
        QTest::keyClick(&widget_, key);
        EXPECT_EQ(selection_.window().start, before.start);
    }
    rows_.setShown(SpanKind::Wait, true);
    QTest::keyClick(&widget_, Qt::Key_BracketRight);
    EXPECT_EQ(middle(), 5'050 * kMs);
}

TEST_F(TimelineKeysTest, LettersDoWhatArrowsDo) {
    const TimeRange before = selection_.window();
    QTest::keyClick(&widget_, Qt::Key_D);
    EXPECT_EQ(selection_.window().start, before.start + 40 * kMs);
    QTest::keyClick(&widget_, Qt::Key_A);
    EXPECT_EQ(selection_.window().start, before.start);
    QTest::keyClick(&widget_, Qt::Key_W);
    EXPECT_LT(selection_.window().end - selection_.window().start, 400 * kMs);
    EXPECT_EQ(middle(), 4'200 * kMs);
    QTest::keyClick(&widget_, Qt::Key_S);
    EXPECT_NEAR(static_cast<double>(selection_.window().start), static_cast<double>(before.start), 2);
}

TEST_F(TimelineKeysTest, ZShowsWhatIsSelected) {
    const TimeRange before = selection_.window();
    QTest::keyClick(&widget_, Qt::Key_Z);
    EXPECT_EQ(selection_.window().start, before.start) << "nothing is";
    selection_.mark(TimeRange{4'100 * kMs, 4'150 * kMs});
    QTest::keyClick(&widget_, Qt::Key_Z);
    EXPECT_EQ(selection_.window().start, 4'100 * kMs);
    EXPECT_EQ(selection_.window().end, 4'150 * kMs);
    EXPECT_TRUE(selection_.marked()) << "and stays so";
}

}  // namespace
}  // namespace dasgd::gui
