#include "experiments/run/session/queue_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A row that was started at a second of one minute; a run of its own where the series is "".
storage::RunRow rowOf(const std::string& id, const std::string& series, const std::string& status, int second,
                      std::int64_t steps = 0) {
    storage::RunRow row;
    row.runId = id;
    row.series = series;
    row.status = status;
    row.startedAt = "2026-11-21T12:00:" + std::to_string(10 + second) + ".000Z";
    row.steps = steps;
    return row;
}

TEST(QueueTurn, WhatTrainsIsAheadAlsoWhereItCameLater) {
    const std::vector<storage::RunRow> rows{rowOf("b", "", "running", 5), rowOf("a", "a", "queued", 3),
                                            rowOf("c", "", "finished", 0, 9)};
    EXPECT_THAT(runsAhead(rows, "a"), ElementsAre("b"));
}

// Between two runs of a sweep none of it trains.
TEST(QueueTurn, ACommandThatHasBegunIsAheadWithAllThatItStillHasToDo) {
    const std::vector<storage::RunRow> rows{rowOf("b1", "b1", "finished", 5, 9), rowOf("b2", "b1", "queued", 5),
                                            rowOf("b3", "b1", "queued", 5), rowOf("a", "a", "queued", 3)};
    EXPECT_THAT(runsAhead(rows, "a"), UnorderedElementsAre("b2", "b3"));
}

TEST(QueueTurn, OfTwoThatWaitOnlyTheEarlierIsAhead) {
    const std::vector<storage::RunRow> rows{rowOf("z1", "z1", "queued", 1), rowOf("z2", "z1", "queued", 1),
                                            rowOf("a", "a", "queued", 2), rowOf("b", "b", "queued", 2)};
    EXPECT_THAT(runsAhead(rows, "z1"), IsEmpty());
    EXPECT_THAT(runsAhead(rows, "a"), UnorderedElementsAre("z1", "z2"));
    EXPECT_THAT(runsAhead(rows, "b"), UnorderedElementsAre("z1", "z2", "a")) << "of the same instant, by their names";
}

TEST(QueueTurn, WhatIsHeldIsPassedOver) {
    std::vector<storage::RunRow> rows{rowOf("a", "a", "queued", 1), rowOf("b", "b", "queued", 2)};
    rows[0].held = true;
    EXPECT_THAT(runsAhead(rows, "b"), IsEmpty());
    EXPECT_THAT(runsAhead(rows, "a"), IsEmpty()) << "it goes on to be the earlier one";
}

TEST(QueueTurn, WhatTrainsOrWaitsInAnotherWorkspaceIsNotWaitedFor) {
    std::vector<storage::RunRow> rows{rowOf("a", "a", "queued", 1), rowOf("b", "", "running", 0),
                                      rowOf("c", "c", "queued", 2)};
    rows[0].origin = rows[1].origin = "ssh://login/lab";
    EXPECT_THAT(runsAhead(rows, "c"), IsEmpty());
}

class QueueTurnTest : public ::testing::Test {
protected:
    QueueTurnTest() {
        test::orDie(first_->addRun(test::runInfo("first")));
        storage::RunInfo own = test::runInfo("second");
        own.series = "second";
        own.seriesSize = 1;
        test::orDie(second_.addRun(own));
    }
    std::string ahead() { return test::orDie(turn_.runAhead()); }

    test::TempDir folder_;
    std::optional<storage::Store> first_ = test::orDie(storage::Store::open(folder_ / "w"));
    storage::Store second_ = test::orDie(storage::Store::open(folder_ / "w"));
    QueueTurn turn_{test::orDie(storage::RunReader::open(folder_ / "w")), "second"};
};

TEST_F(QueueTurnTest, ComesWhenTheRunAheadHasEnded) {
    EXPECT_EQ(ahead(), "first");
    EXPECT_EQ(ahead(), "first");
    test::orDie(first_->abandonRun("first", "stopped", ""));
    EXPECT_EQ(ahead(), "");
}

TEST_F(QueueTurnTest, ComesWhenWhoeverRunsTheRunAheadHasDied) {
    EXPECT_EQ(ahead(), "first");
    first_.reset();
    EXPECT_EQ(ahead(), "");
}

// Runs of the workspace's queue start once somebody works it, and not before.
TEST_F(QueueTurnTest, RunsOfTheWorkspacesQueueAreAheadWhileItIsWorked) {
    test::orDie(first_->abandonRun("first", "stopped", ""));
    storage::RunInfo entry = test::runInfo("entry");
    entry.queueEntry.emplace();
    test::orDie(first_->addRun(entry));
    storage::RunInfo third = test::runInfo("third");
    third.series = "third";
    third.seriesSize = 1;
    test::orDie(second_.abandonRun("second", "stopped", ""));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // queued later
    test::orDie(second_.addRun(third));
    QueueTurn turn(test::orDie(storage::RunReader::open(folder_ / "w")), "third");
    EXPECT_EQ(test::orDie(turn.runAhead()), "");
    const auto lock =
        test::orDie(storage::FileLock::tryNow(storage::queueLock(first_->paths()), storage::FileLock::Kind::Exclusive));
    EXPECT_EQ(test::orDie(turn.runAhead()), "entry");
    test::orDie(test::orDie(storage::QueueStore::open(folder_ / "w")).setPaused(true));
    EXPECT_EQ(test::orDie(turn.runAhead()), "");
}

TEST_F(QueueTurnTest, ComesWhenTheRunAheadIsHeld) {
    storage::RunInfo third = test::runInfo("third");
    third.series = "third";
    third.seriesSize = 1;
    test::orDie(second_.addRun(third));
    QueueTurn turn(test::orDie(storage::RunReader::open(folder_ / "w")), "third");
    test::orDie(first_->abandonRun("first", "stopped", ""));
    EXPECT_EQ(test::orDie(turn.runAhead()), "second");
    test::orDie(second_.setQueue({{"second", 0, true}}));
    EXPECT_EQ(test::orDie(turn.runAhead()), "");
}

}  // namespace
}  // namespace dasgd::experiments
