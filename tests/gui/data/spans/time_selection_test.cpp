#include "gui/data/spans/time_selection.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

class TimeSelectionTest : public ::testing::Test {
protected:
    TimeSelectionTest() { selection_.setExtent({0, 10'000 * kMs}); }
    [[nodiscard]] Ns width() const { return selection_.window().end - selection_.window().start; }
    TimeSelection selection_;
};

TEST_F(TimeSelectionTest, TheFirstWindowIsNeverLongerThanTheRun) {
    TimeSelection shorter;
    shorter.setExtent({50 * kMs, 250 * kMs});
    EXPECT_EQ(shorter.window().start, 50 * kMs);
    EXPECT_EQ(shorter.window().end, 250 * kMs);
    EXPECT_EQ(selection_.window().start, 4'700 * kMs) << "of a longer one the middle";
    EXPECT_EQ(width(), 600 * kMs);
}

TEST_F(TimeSelectionTest, AFollowedRunThatHasEndedIsNoShorterThanItsWindow) {
    TimeSelection followed;
    followed.reset(true);
    followed.setExtent({0, 100 * kMs});
    EXPECT_EQ(followed.window().end, 600 * kMs) << "more is to come";
    followed.finish({0, 150 * kMs});
    EXPECT_FALSE(followed.following());
    EXPECT_EQ(followed.window().start, 0);
    EXPECT_EQ(followed.window().end, 150 * kMs);
    followed.finish({0, 166 * kMs});
    EXPECT_EQ(followed.window().end, 166 * kMs) << "its last spans came later";
    TimeSelection longer;
    longer.reset(true);
    longer.setExtent({0, 5'000 * kMs});
    longer.finish({0, 9'000 * kMs});
    EXPECT_EQ(longer.window().start, 8'400 * kMs) << "the end that was followed";
    EXPECT_EQ(longer.window().end, 9'000 * kMs);
}

TEST_F(TimeSelectionTest, TheEndOfARunLeavesAWindowThatWasSetByHand) {
    selection_.setWindow({-1'000 * kMs, 14'000 * kMs});
    selection_.finish({0, 10'000 * kMs});
    EXPECT_EQ(selection_.window().start, -1'000 * kMs);
    EXPECT_EQ(width(), 15'000 * kMs);
}

TEST_F(TimeSelectionTest, ZoomKeepsTheInstantUnderThePointer) {
    selection_.setWindow({1'000 * kMs, 2'000 * kMs});
    selection_.zoom(1'250 * kMs, 0.5);
    EXPECT_EQ(selection_.window().start, 1'125 * kMs);
    EXPECT_EQ(selection_.window().end, 1'625 * kMs);
}

TEST_F(TimeSelectionTest, FollowingMovesWithTheEndAndKeepsItsWidth) {
    selection_.setFollowing(true);
    const Ns before = width();
    selection_.setExtent({0, 12'000 * kMs});
    EXPECT_EQ(selection_.window().end, 12'000 * kMs);
    EXPECT_EQ(width(), before);
    selection_.zoom(11'000 * kMs, 2);
    EXPECT_EQ(selection_.window().end, 12'000 * kMs) << "the live edge stays";
    EXPECT_EQ(width(), 2 * before);
}

TEST_F(TimeSelectionTest, MovingByHandEndsFollowing) {
    selection_.setFollowing(true);
    QSignalSpy spy(&selection_, &TimeSelection::followingChanged);
    selection_.pan(-100 * kMs);
    EXPECT_FALSE(selection_.following());
    EXPECT_EQ(spy.count(), 1);
    const TimeRange still = selection_.window();
    selection_.setExtent({0, 20'000 * kMs});
    EXPECT_EQ(selection_.window().start, still.start);
}

TEST_F(TimeSelectionTest, AFittedWindowGrowsWithTheData) {
    selection_.fit();
    EXPECT_EQ(width(), 10'000 * kMs);
    selection_.setExtent({0, 20'000 * kMs});
    EXPECT_EQ(width(), 20'000 * kMs);
}

TEST_F(TimeSelectionTest, TheWindowNeverLosesTheData) {
    selection_.setWindow({0, 1'000 * kMs});
    selection_.pan(1'000'000 * kMs);
    EXPECT_LT(selection_.window().start, 10'000 * kMs);
    selection_.pan(-2'000'000 * kMs);
    EXPECT_GT(selection_.window().end, 0);
    selection_.zoom(0, 1e9);
    EXPECT_LE(width(), 20'000 * kMs);
    selection_.zoom(0, 1e-12);
    EXPECT_EQ(width(), TimeSelection::kNarrowest);
}

TEST_F(TimeSelectionTest, MarksAreOrderedAndGoneAfterReset) {
    selection_.mark(TimeRange{500, 100});
    EXPECT_EQ(selection_.marked()->start, 100);
    selection_.reset(true);
    EXPECT_FALSE(selection_.marked());
    EXPECT_TRUE(selection_.following());
}

TEST_F(TimeSelectionTest, TheCursorIsToldOnceAndGoneAfterReset) {
    QSignalSpy moved(&selection_, &TimeSelection::cursorMoved);
    const TimeRange window = selection_.window();
    selection_.setCursor(5 * kMs);
    selection_.setCursor(5 * kMs);
    EXPECT_EQ(moved.count(), 1);
    EXPECT_EQ(selection_.cursor(), 5 * kMs);
    EXPECT_EQ(selection_.window().start, window.start) << "a pointer moves no window";
    selection_.reset(false);
    EXPECT_FALSE(selection_.cursor());
    EXPECT_EQ(moved.count(), 2);
    selection_.setCursor(std::nullopt);
    EXPECT_EQ(moved.count(), 2);
}

}  // namespace
}  // namespace dasgd::gui
