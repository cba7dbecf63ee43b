#include "gui/data/curves/training_time.h"

#include <gtest/gtest.h>

#include "storage/compare/scaling.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// 3 s of start-up, with the evaluation before the first step; one of 2 s after 10 s of training, and one of 1 s after
// 20.
TrainingClock threeEvaluations() {
    return TrainingClock({{.endS = 3, .trainedS = 0}, {.endS = 15, .trainedS = 10}, {.endS = 26, .trainedS = 20}});
}

TEST(TrainingTime, StartUpAndEvaluationsAreLeftOut) {
    const TrainingClock clock = threeEvaluations();
    EXPECT_EQ(clock.at(2.5), std::nullopt) << "before the first step";
    EXPECT_EQ(clock.at(3), 0);
    EXPECT_EQ(clock.at(7), 4);
    EXPECT_EQ(clock.at(13), 10) << "the evaluation begins";
    EXPECT_EQ(clock.at(14.5), 10) << "while it lasts nothing is trained";
    EXPECT_EQ(clock.at(15), 10);
    EXPECT_EQ(clock.at(16), 11);
    EXPECT_EQ(clock.at(30), 24) << "after the last one";
}

TEST(TrainingTime, WithoutAnEvaluationBeforeTheFirstStepItIsReckonedBack) {
    const TrainingClock clock({{.endS = 15, .trainedS = 10}});
    EXPECT_EQ(clock.at(4), std::nullopt);
    EXPECT_EQ(clock.at(5), 0);
    EXPECT_EQ(clock.at(9), 4);
}

TEST(TrainingTime, ASeriesKeepsAllButItsTime) {
    Series series;
    const std::vector<storage::MetricSample> samples{
        {.step = 0, .wallS = 1, .value = 3},
        {.step = 1, .epoch = 0.5, .wallS = 4, .samples = 32, .bytesSent = 7, .value = 2},
        {.step = 2, .epoch = 1, .wallS = 16, .samples = 64, .bytesSent = 14, .value = 1}};
    series.add(samples);
    const Series on = onTrainingTime(series, threeEvaluations());
    ASSERT_EQ(on.points().size(), 2U);
    EXPECT_EQ(polylineOf(on, XAxis::Training).x, (std::vector<double>{1, 11}));
    EXPECT_EQ(polylineOf(on, XAxis::Samples).x, (std::vector<double>{32, 64}));
    EXPECT_EQ(on.points()[0].epoch, 0.5);
    EXPECT_EQ(on.points()[1].bytesSent, 14);
    EXPECT_EQ(on.points()[1].value, 1);
}

TEST(TrainingTime, WhatIsReadOfALiveRunSoFarTellsTheSame) {
    Series trained;
    const std::vector<storage::MetricSample> samples{{.step = 100, .wallS = 26, .value = 20},
                                                     {.step = 0, .wallS = 3, .value = 0},
                                                     {.step = 50, .wallS = 15, .value = 10}};
    trained.add(samples);
    const auto clock = TrainingClock::of(trained, false);
    ASSERT_TRUE(clock);
    for (const double wall : {2.5, 7.0, 14.5, 30.0}) EXPECT_EQ(clock->at(wall), threeEvaluations().at(wall)) << wall;
    EXPECT_FALSE(TrainingClock::of({}, false)) << "no evaluation yet";
    EXPECT_EQ(TrainingClock::of({}, true)->at(4), 4) << "simulated";
}

// The time at which a run reached a target is read from the same clock.
TEST(TrainingTime, IsThatOfTheTimeToATarget) {
    Workspace workspace;
    const std::string late = workspace.record({.ranks = 1, .lateS = 40}).toStdString();
    const std::string simulated = workspace.record({.ranks = 1, .simulated = true}).toStdString();
    auto reader = storage::WorkspaceReader::open(workspace.path()).value();
    for (const std::string& id : {late, simulated}) {
        const storage::RunRow row = reader.runs().row(id).value();
        const auto trained = storage::readTrainedSeconds(reader.metrics(), row).value();
        const auto clock = TrainingClock::read(reader.metrics(), row).value();
        ASSERT_TRUE(clock);
        const auto answer = reader.metrics().samples({.runId = id, .name = "eval/accuracy"}).value();
        ASSERT_FALSE(answer.samples.empty());
        for (const storage::MetricSample& sample : answer.samples) {
            EXPECT_NEAR(*clock->at(sample.wallS), *trained.at(sample), 0.001);
        }
    }
    Series accuracy;
    accuracy.add(reader.metrics().samples({.runId = late, .name = "train/loss"}).value().samples);
    const Series on = onTrainingTime(reader.metrics(), reader.runs().row(late).value(), accuracy).value();
    EXPECT_LT(on.points().front().wallS, 1) << "40 s of start-up are not in it";
    const storage::RunRow unknown{.runId = "none"};
    EXPECT_TRUE(onTrainingTime(reader.metrics(), unknown, accuracy).value().empty()) << "nothing recorded";
}

}  // namespace
}  // namespace dasgd::gui
