#include "gui/data/curves/instants.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

constexpr Ns kSecond = 1'000'000'000;

std::vector<SeriesPoint> everyTenth() {
    return {{.step = 10, .epoch = 0.5, .wallS = 2, .samples = 320},
            {.step = 20, .epoch = 1, .wallS = 4, .samples = 640},
            {.step = 30, .epoch = 1.5, .wallS = 5, .samples = 960}};
}

TEST(Instants, OverWallTimeAnInstantIsItself) {
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Wall), 3);
    EXPECT_EQ(xAtInstant({}, 7 * kSecond, XAxis::Wall), 7);
    EXPECT_EQ(instantAtX(everyTenth(), 3.25, XAxis::Wall), kSecond * 13 / 4);
}

TEST(Instants, BetweenTwoPointsProgressIsEven) {
    EXPECT_EQ(xAtInstant(everyTenth(), 4 * kSecond, XAxis::Step), 20);
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Step), 15);
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond + 1, XAxis::Step), 16) << "the step under way";
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Epoch), 0.75);
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Samples), 480);
}

TEST(Instants, WhereNothingIsRecordedThereIsNoStep) {
    EXPECT_FALSE(xAtInstant(everyTenth(), kSecond, XAxis::Step));
    EXPECT_EQ(xAtInstant(everyTenth(), 2 * kSecond, XAxis::Step), 10);
    EXPECT_FALSE(xAtInstant(everyTenth(), 6 * kSecond, XAxis::Step));
    EXPECT_FALSE(xAtInstant({}, kSecond, XAxis::Step));
    EXPECT_FALSE(instantAtX(everyTenth(), 31, XAxis::Step));
}

TEST(Instants, AStepIsWhenItWasRecorded) {
    EXPECT_EQ(instantAtX(everyTenth(), 20, XAxis::Step), 4 * kSecond);
    EXPECT_EQ(instantAtX(everyTenth(), 11, XAxis::Step), 4 * kSecond);
    EXPECT_EQ(instantAtX(everyTenth(), 640, XAxis::Samples), 4 * kSecond);
}

TEST(Instants, ARecordTakesItsPlaceAmongThePointsAroundIt) {
    const std::vector<SeriesPoint> points{{.step = 1, .epoch = 0.1, .wallS = 1, .samples = 100, .bytesSent = 10},
                                          {.step = 2, .epoch = 0.2, .wallS = 2, .samples = 200, .bytesSent = 30}};
    const auto placed = [&](double wallS) {
        storage::MetricSample record{.wallS = wallS};
        placeAmong(points, record);
        return record;
    };
    EXPECT_DOUBLE_EQ(placed(1.5).epoch, 0.15);
    EXPECT_EQ(placed(1.5).samples, 150);
    EXPECT_EQ(placed(1.5).bytesSent, 20);
    EXPECT_EQ(placed(0.5).samples, 100) << "before the first that of the first";
    EXPECT_EQ(placed(9).samples, 200);
    storage::MetricSample alone{.epoch = 3, .wallS = 1};
    placeAmong({}, alone);
    EXPECT_EQ(alone.epoch, 3);
}

// 1 s of start-up, then 2.5 s of training, then an evaluation of 1 s.
TEST(Instants, OverTrainingTimeTheClockTellsWhere) {
    const std::optional<TrainingClock> clock =
        TrainingClock({{.endS = 1, .trainedS = 0}, {.endS = 4.5, .trainedS = 2.5}});
    EXPECT_EQ(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Training, clock), 2);
    EXPECT_EQ(xAtInstant(everyTenth(), 4 * kSecond, XAxis::Training, clock), 2.5) << "the evaluation";
    EXPECT_FALSE(xAtInstant(everyTenth(), kSecond / 2, XAxis::Training, clock)) << "before the first step";
    EXPECT_FALSE(xAtInstant(everyTenth(), 3 * kSecond, XAxis::Training)) << "without a clock";
    EXPECT_EQ(instantAtX(everyTenth(), 1, XAxis::Training, clock), 2 * kSecond);
    EXPECT_EQ(instantAtX(everyTenth(), 2.7, XAxis::Training, clock), 5 * kSecond);
    EXPECT_FALSE(instantAtX(everyTenth(), 3.2, XAxis::Training, clock)) << "after the last point";
    EXPECT_FALSE(instantAtX(everyTenth(), 1, XAxis::Training));
    std::vector<SeriesPoint> early = everyTenth();
    early.insert(early.begin(), SeriesPoint{.step = 0, .wallS = 0.5});
    EXPECT_EQ(instantAtX(early, 0, XAxis::Training, clock), 2 * kSecond) << "what was recorded before has no place";
}

}  // namespace
}  // namespace dasgd::gui
