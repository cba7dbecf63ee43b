#include "experiments/run/queue/earlier_steps.h"

#include <gtest/gtest.h>

#include "storage/compare/scaling.h"

namespace dasgd::experiments {
namespace {

storage::RunRow row(int delay, const std::string& status, double wall) {
    storage::RunRow one;
    one.status = status;
    one.algorithm = "dasgd";
    one.config = "[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) + "\n[train]\nsteps = 1000\n";
    one.steps = 1000;
    one.wallS = wall;
    return one;
}

TEST(EarlierSteps, AreTheMeanOfFinishedRunsOfThisWorkspaceWhateverTheirLength) {
    storage::RunRow foreign = row(2, "finished", 900);
    foreign.origin = "ssh://elsewhere";
    const EarlierSteps earlier({row(2, "finished", 50), row(2, "finished", 70), row(2, "failed", 900), foreign});
    Settings settings = storage::settingsOf(row(2, "queued", 0));
    settings["train.steps"] = "5";
    EXPECT_EQ(earlier.ofSettings(settings).count, 2);
    EXPECT_DOUBLE_EQ(earlier.ofSettings(settings).value().value_or(0), 0.06);
    EXPECT_FALSE(earlier.ofSettings(storage::settingsOf(row(3, "queued", 0))).value());
}

TEST(EarlierSteps, OfARunThatTrainsItsOwnCountsElseThoseOfItsSeries) {
    storage::RunRow old = row(1, "finished", 50);
    old.series = "s";
    const EarlierSteps earlier({old, row(2, "finished", 70)});
    EXPECT_DOUBLE_EQ(earlier.secondsOf(row(2, "running", 400)).value_or(0), 0.4);
    EXPECT_DOUBLE_EQ(earlier.secondsOf(row(2, "queued", 0)).value_or(0), 0.07);
    storage::RunRow other = row(3, "queued", 0);
    EXPECT_FALSE(earlier.secondsOf(other));
    other.series = "s";
    EXPECT_DOUBLE_EQ(earlier.secondsOf(other).value_or(0), 0.05);
}

TEST(EarlierSteps, InstantsAreReadAsTheyAreRecorded) {
    EXPECT_DOUBLE_EQ(instantOf("1970-01-02T00:00:01.500Z").value_or(0), 86'401.5);
    EXPECT_FALSE(instantOf("yesterday"));
}

}  // namespace
}  // namespace dasgd::experiments
