// Times and settings as the database keeps them.
#include "storage/compare/scaling.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

TEST(StoredScaling, SamplesPerSecondAreThoseOfTheRow) {
    // Two workers, batches of 32 and of 18 in turn; each at a rate of its own, so that samples ÷ step is another
    // number.
    const RunRow row{.runId = "r", .workers = 2, .steps = 8, .samples = 400, .samplesPerS = 5100};
    const ScalingRun made = scalingRun(row, LinePlace{.batch = 32}, RunTimes{.stepMs = 10}, std::nullopt);
    EXPECT_DOUBLE_EQ(scalingPoints({made}).at(0).samplesPerS.mean, 5100);
    EXPECT_FALSE(made.timeSimulated);
    EXPECT_TRUE(scalingRun({.timeSimulated = true}, {}, {}, std::nullopt).timeSimulated);
}

TEST(StoredScaling, TimesAreThoseOfTheStore) {
    test::OneRun one(1);
    const auto put = [&](const char* name, std::int64_t step, double value) {
        one.rank(0).metric({.name = name, .step = step, .wall = 9'000'000'000, .value = value});
    };
    put("eval/accuracy", 120, 0.5);
    put("eval/loss", 120, 0.7);
    put("eval/accuracy", 200, 0.9);
    put("eval/trained_s", 120, 1.5);
    put("eval/trained_s", 200, 2.75);
    put("timing/steps", 240, 240);
    put("timing/seconds", 240, 3);
    one.finish();
    auto reader = one.reader();
    const auto times = readRunTimes(reader, one.runId);
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_EQ(times->stepMs, 12.5);
    EXPECT_EQ(times->losses.size(), 1U);
    EXPECT_DOUBLE_EQ(*secondsTo({Target::Metric::Accuracy, 0.8}, *times), 2.75);
    const ScalingRun made = scalingRun(reader.runs().detail(one.runId)->row, placeOf({{"train.batch_size", "16"}}),
                                       *times, Target{Target::Metric::Loss, 0.7});
    EXPECT_DOUBLE_EQ(*made.secondsToTarget, 1.5);
    EXPECT_EQ(made.batch, 16);
    EXPECT_EQ(made.runId, one.runId);
}

// A time that a run did not record is not estimated, as steps need not cost the same from end to end.
TEST(StoredScaling, ATimeThatWasNotRecordedIsNotKnown) {
    test::OneRun one(1);
    one.rank(0).metric({.name = "eval/accuracy", .step = 120, .wall = 9'000'000'000, .value = 0.9});
    one.rank(0).metric({.name = "timing/steps", .step = 240, .value = 240});
    one.rank(0).metric({.name = "timing/seconds", .step = 240, .value = 3});
    one.finish();
    auto reader = one.reader();
    const RunTimes times = test::orDie(readRunTimes(reader, one.runId));
    EXPECT_EQ(times.stepMs, 12.5);
    const Target target{Target::Metric::Accuracy, 0.8};
    EXPECT_EQ(secondsTo(target, times), std::nullopt);
    const ScalingPoint point = scalingPoints({scalingRun(RunRow{.workers = 1}, {}, times, target)}).at(0);
    EXPECT_EQ(point.secondsToTarget.n, 0U);
    EXPECT_EQ(point.reached, 1U) << "it was reached all the same";
    // The instant is the training time where time is simulated: evaluations take none of it.
    RunRow row = test::orDie(reader.runs().row(one.runId));
    row.timeSimulated = true;
    const TrainedSeconds trained = test::orDie(readTrainedSeconds(reader.metrics(), row));
    EXPECT_EQ(trained.at({.step = 120, .wallS = 9}), 9.0);
}

// A run judges its own train.target_accuracy in the same way.
TEST(StoredScaling, TargetsAreJudgedOnTheValidationSetWhereThereIsOne) {
    test::OneRun one(1);
    const auto put = [&](const char* name, std::int64_t step, double value) {
        one.rank(0).metric({.name = name, .step = step, .value = value});
    };
    for (const std::int64_t step : {100, 200}) {
        put("eval/trained_s", step, static_cast<double>(step) * 0.01);
        put("eval/accuracy", step, 0.9);
        put("eval/loss", step, 0.1);
        put("eval/validation_accuracy", step, step == 200 ? 0.9 : 0.7);
        put("eval/validation_loss", step, step == 200 ? 0.2 : 0.6);
    }
    put("timing/steps", 200, 200);
    put("timing/seconds", 200, 2);
    one.finish();
    auto reader = one.reader();
    const RunTimes times = test::orDie(readRunTimes(reader, one.runId));
    EXPECT_DOUBLE_EQ(secondsTo({Target::Metric::Accuracy, 0.8}, times).value(), 2);
    EXPECT_DOUBLE_EQ(secondsTo({Target::Metric::Loss, 0.3}, times).value(), 2);
    EXPECT_EQ(secondsTo({Target::Metric::Loss, 0.15}, times), std::nullopt) << "which the test loss would reach";
}

TEST(StoredScaling, TheRowFillsInWhatTheConfigurationLacks) {
    const RunRow row{.algorithm = "dasgd", .seed = 7, .workers = 4, .backend = "gloo", .config = "= no TOML"};
    const Settings settings = settingsOf(row);
    EXPECT_EQ(settings.at("algorithm.name"), "dasgd");
    EXPECT_EQ(settings.at("cluster.workers"), "4");
    RunRow other = row;
    other.seed = 8;
    EXPECT_EQ(configurationKey(settingsOf(other)), configurationKey(settings));
    other.workers = 8;
    EXPECT_NE(configurationKey(settingsOf(other)), configurationKey(settings));
    RunRow written = row;
    written.config = "[algorithm]\nname = \"dasgd\"\ndelay = 3\n[train]\nseed = 9\n";
    EXPECT_EQ(settingsOf(written).at("algorithm.delay"), "3");
    EXPECT_EQ(settingsOf(written).at("train.seed"), "9") << "the configuration comes first";
    SettingsReader reader;
    for (const RunRow& each : {row, other, written}) EXPECT_EQ(settingsOf(each, reader), settingsOf(each));
}

}  // namespace
}  // namespace dasgd::storage
