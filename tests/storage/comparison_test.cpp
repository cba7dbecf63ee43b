// Which runs of a workspace become one row.
#include "storage/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/scaling.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string config(int seed, int jitterSeed, int delay) {
    return "name = \"n\"\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) +
           "\n[train]\nseed = " + std::to_string(seed) + "\n[compute]\nseed = " + std::to_string(jitterSeed) + "\n";
}

TEST(Comparison, RunsThatDifferInSeedsAloneAreOneRow) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    const auto add = [&](const std::string& id, const std::string& text) {
        RunInfo info = test::runInfo(id);
        info.config = text;
        test::orDie(store.addRun(info));
    };
    add("a", config(1, 1, 2));
    add("b", config(2, 1, 2));
    add("c", config(1, 2, 2));
    add("d", config(1, 1, 3));
    auto reader = test::orDie(RunReader::open(store.paths().root));
    const auto comparison = compareRuns(reader, {"a", "b", "c", "d"}, "");
    ASSERT_TRUE(comparison) << comparison.error().message;
    ASSERT_EQ(comparison->groups.size(), 2U);
    EXPECT_THAT(comparison->groups[0].runIds, ElementsAre("a", "b", "c"));
    EXPECT_EQ(comparison->groups[0].label, "dasgd delay=2");
    EXPECT_THAT(comparison->groups[1].runIds, ElementsAre("d"));
}

TEST(Comparison, SaysWhyABaselineCannotBeOne) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    RunInfo info = test::runInfo("a");
    info.config = config(1, 1, 2);
    test::orDie(store.addRun(info));
    test::orDie(test::orDie(Recorder::start(store, "a", {0}))->finish("finished", ""));
    auto reader = test::orDie(RunReader::open(store.paths().root));
    const auto wrong = [&](const std::string& baseline) {
        return compareRuns(reader, {"a"}, baseline).error().message;
    };
    EXPECT_THAT(wrong("dasgd"), HasSubstr("no run of 'dasgd' was timed"));
    EXPECT_THAT(wrong("sync_sgd"), HasSubstr("no finished run of 'sync_sgd'"));
}

// Step 20 of 500 ms, whatever the instant of the record says: evaluations are no training.
TEST(Comparison, TakesTheTimeToTheTargetThatTheRunRecorded) {
    test::OneRun run;
    run.rank(0).metric({.name = "train/loss", .step = 40, .wall = 90'000'000'000, .value = 1});
    run.rank(0).metric({.name = "run/target_reached", .step = 20, .wall = 70'000'000'000, .value = 0.9});
    run.rank(0).metric({.name = "timing/steps", .step = 40, .value = 10});
    run.rank(0).metric({.name = "timing/seconds", .step = 40, .value = 5});
    run.finish();
    auto reader = run.reader();
    const auto reached = test::orDie(readTargetReached(reader, run.runId));
    ASSERT_TRUE(reached);
    EXPECT_EQ(reached->step, 20);
    EXPECT_EQ(secondsOf(*reached, std::nullopt), std::nullopt);
    const auto comparison = compareRuns(reader, {run.runId}, "");
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_DOUBLE_EQ(comparison->groups[0].secondsToTarget.mean, 10);
}

}  // namespace
}  // namespace dasgd::storage
