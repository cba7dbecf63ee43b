#include "experiments/run/queue/expectation.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

class QueueExpectation : public ::testing::Test {
protected:
    // `steps` done in `wall` seconds, of 1000.
    storage::RunRow& row(const std::string& id, int delay, int seed, const std::string& status, std::int64_t steps = 0,
                         double wall = 0) {
        storage::RunRow one;
        one.runId = id;
        one.status = status;
        one.config = "name = \"" + id + "\"\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) +
                     "\n[train]\nseed = " + std::to_string(seed) + "\n";
        one.algorithm = "dasgd";
        one.seed = seed;
        one.steps = steps;
        one.wallS = wall;
        one.plannedSteps = 1000;
        rows_.push_back(one);
        return rows_.back();
    }
    void entry(const std::string& id, const std::string& status = "queued") {
        queue_.entries.push_back({.runId = id, .status = status, .turn = static_cast<double>(queue_.entries.size())});
    }
    Expectation of(const std::string& id) { return expectationsOf(queue_, rows_)[id]; }

    std::vector<storage::RunRow> rows_;
    storage::Queue queue_;
};

TEST_F(QueueExpectation, OfTheSameSettingsSeedsAside) {
    row("old1", 2, 1, "finished", 1000, 50);
    row("old2", 2, 2, "finished", 1000, 70);
    row("other", 3, 1, "finished", 1000, 900);
    row("new", 2, 9, "queued");
    entry("new");
    EXPECT_DOUBLE_EQ(of("new").left.value_or(0), 60);
    EXPECT_DOUBLE_EQ(of("new").endsIn.value_or(0), 60);
}

TEST_F(QueueExpectation, ElseOfItsSeries) {
    row("old", 1, 1, "finished", 1000, 50).series = "s";
    row("new", 2, 1, "queued").series = "s";
    row("stranger", 2, 1, "queued");
    entry("new");
    entry("stranger");
    EXPECT_DOUBLE_EQ(of("new").left.value_or(0), 50);
    EXPECT_EQ(of("stranger").left, std::nullopt);
    EXPECT_EQ(of("stranger").endsIn, std::nullopt);
}

TEST_F(QueueExpectation, WhatRunsTellsByItself) {
    row("old", 2, 1, "finished", 1000, 50);
    row("now", 2, 2, "running", 250, 100);
    row("next", 2, 3, "queued");
    entry("now", "running");
    entry("next");
    EXPECT_DOUBLE_EQ(of("now").left.value_or(0), 300);
    EXPECT_DOUBLE_EQ(of("next").left.value_or(0), 50);
    EXPECT_DOUBLE_EQ(of("next").endsIn.value_or(0), 350) << "behind the other";
    queue_.atOnce = 2;
    EXPECT_DOUBLE_EQ(of("next").endsIn.value_or(0), 50) << "beside it";
}

TEST_F(QueueExpectation, WhatGoesOnHasLessLeft) {
    row("old", 2, 1, "finished", 1000, 50);
    row("next", 2, 3, "queued").resumedStep = 800;
    entry("next");
    EXPECT_DOUBLE_EQ(of("next").left.value_or(0), 10);
}

TEST_F(QueueExpectation, NothingIsKnownBehindTheUnknownTheHeldAndAPause) {
    row("old", 2, 1, "finished", 1000, 50);
    row("unknown", 7, 1, "queued");
    row("next", 2, 3, "queued");
    entry("unknown");
    entry("next");
    EXPECT_EQ(of("next").endsIn, std::nullopt);
    queue_.entries[0].held = true;
    EXPECT_DOUBLE_EQ(of("next").endsIn.value_or(0), 50) << "what is held is passed over";
    queue_.paused = true;
    EXPECT_EQ(of("next").endsIn, std::nullopt);
    EXPECT_DOUBLE_EQ(of("next").left.value_or(0), 50);
}

// The time that this machine took counts, not the seconds that were simulated.
TEST_F(QueueExpectation, OfSimulatedRunsTheTimeFromStartToEnd) {
    storage::RunRow& old = row("old", 2, 1, "finished", 1000, 5e6);
    old.timeSimulated = true;
    old.resumedStep = 600;
    row("next", 2, 3, "queued").timeSimulated = true;
    entry("next");
    EXPECT_EQ(of("next").left, std::nullopt) << "it is not known when it ended";
    rows_[0].startedAt = "2026-11-30T23:59:50.500Z";
    rows_[0].endedAt = "2026-12-01T00:00:02.500Z";
    ASSERT_TRUE(of("next").left);
    EXPECT_NEAR(*of("next").left, 30, 1e-6) << "12 s for 400 steps";
}

}  // namespace
}  // namespace dasgd::experiments
