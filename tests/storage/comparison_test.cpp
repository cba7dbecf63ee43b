// Which runs of a workspace become one row.
#include "storage/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dasgd::storage
