// Times and settings as the database keeps them.
#include "storage/scaling.h"

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
}

TEST(StoredScaling, TimesAreThoseOfTheStore) {
    test::OneRun one(1);
    const auto put = [&](const char* name, std::int64_t step, double value) {
        one.rank(0).metric({.name = name, .step = step, .wall = 9'000'000'000, .value = value});
    };
    put("eval/accuracy", 120, 0.5);
    put("eval/loss", 120, 0.7);
    put("eval/accuracy", 200, 0.9);
    put("timing/steps", 240, 240);
    put("timing/seconds", 240, 3);
    one.finish();
    auto reader = one.reader();
    const auto times = readRunTimes(reader, one.runId);
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_EQ(times->stepMs, 12.5);
    EXPECT_EQ(times->losses.size(), 1U);
    EXPECT_DOUBLE_EQ(*secondsTo({Target::Metric::Accuracy, 0.8}, *times), 2.5);
    const ScalingRun made = scalingRun(reader.run(one.runId)->row, placeOf({{"train.batch_size", "16"}}), *times,
                                       Target{Target::Metric::Loss, 0.7});
    EXPECT_DOUBLE_EQ(*made.secondsToTarget, 1.5);
    EXPECT_EQ(made.batch, 16);
    EXPECT_EQ(made.runId, one.runId);
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
}

}  // namespace
}  // namespace dasgd::storage
