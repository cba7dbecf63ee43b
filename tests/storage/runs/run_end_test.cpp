#include "storage/runs/run_end.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

TEST(RunEndTest, TheWorstWordWins) {
    EXPECT_EQ(worstOf({"finished", "finished"}), "finished");
    EXPECT_EQ(worstOf({"finished", "stopped"}), "stopped");
    EXPECT_EQ(worstOf({"interrupted", "stopped"}), "interrupted");
    EXPECT_EQ(worstOf({"finished", "interrupted", "failed"}), "failed");
    EXPECT_EQ(worstOf({}), "interrupted");
}

TEST(RunEndTest, LockingJournalsMakesNoWorkspaceThatWasRemoved) {
    const TempDir dir;
    const WorkspacePaths paths{dir / "workspace"};
    std::filesystem::create_directories(paths.root / "runs");
    EXPECT_TRUE(lockJournals(paths, "run-a", {0})) << "the folder of a run is made again";
    std::filesystem::remove_all(paths.root);
    EXPECT_FALSE(lockJournals(paths, "run-a", {0}));
    EXPECT_FALSE(std::filesystem::exists(paths.root));
}

class RankStatesTest : public ::testing::Test {
protected:
    RankStatesTest() : connection_(orDie(WriteConnection::open(run_.store.paths()))) {}
    void say(int rank, RankState state, const std::string& text = "") {
        SQLite::Statement write(connection_->database(),
                                "INSERT INTO rank_state (run, rank, state, state_text) VALUES (1, ?, ?, ?)");
        write.bind(1, rank);
        write.bind(2, static_cast<int>(state));
        write.bind(3, text);
        write.exec();
    }
    std::string status(int workers) { return statusFromRanks(connection_->database(), 1, workers); }

    OneRun run_;
    std::unique_ptr<WriteConnection> connection_;
};

TEST_F(RankStatesTest, AllMustHaveSaidIt) {
    EXPECT_EQ(status(1), "interrupted");
    say(0, RankState::Finished);
    EXPECT_EQ(status(1), "finished");
    EXPECT_EQ(status(2), "interrupted");
    say(1, RankState::Stopped);
    EXPECT_EQ(status(2), "stopped");
    say(2, RankState::Starting);
    EXPECT_EQ(status(3), "interrupted");
    say(3, RankState::Failed);
    EXPECT_EQ(status(9), "failed");
}

TEST_F(RankStatesTest, AnEmptyErrorKeepsTheOneThatIsThere) {
    writeStatus(connection_->database(), 1, "running", "first");
    writeStatus(connection_->database(), 1, "failed", "");
    EXPECT_EQ(orDie(run_.reader().runs().detail(run_.runId)).row.error, "first");
    EXPECT_EQ(orDie(run_.reader().runs().detail(run_.runId)).row.status, "failed");
    writeStatus(connection_->database(), 1, "failed", "second");
    EXPECT_EQ(orDie(run_.reader().runs().detail(run_.runId)).row.error, "second");
}

// The run's record alone tells what a rank on another host lost.
TEST_F(RankStatesTest, WhatARankThatEndedWellLostIsInTheRunsRecord) {
    const auto errorOf = [&] { return orDie(run_.reader().runs().detail(run_.runId)).row.error; };
    say(0, RankState::Running, "a checkpoint was lost: disk");
    say(1, RankState::Starting, "host-b");
    writeStatus(connection_->database(), 1, "interrupted", "");
    EXPECT_EQ(errorOf(), "") << "it may still say more";
    say(2, RankState::Finished, "28 checkpoints were lost; last: disk");
    writeStatus(connection_->database(), 1, "running", "");
    EXPECT_EQ(errorOf(), "");
    for (int again = 0; again < 2; ++again) {
        writeStatus(connection_->database(), 1, "finished", "");
        EXPECT_EQ(errorOf(), "rank 2: 28 checkpoints were lost; last: disk");
    }
    say(3, RankState::Stopped, "a checkpoint was lost: net");
    say(4, RankState::Stopped, "a checkpoint was lost: power");
    say(5, RankState::Failed, "loss is NaN");
    writeStatus(connection_->database(), 1, "stopped", "ended by SIGTERM; a checkpoint was lost: net");
    EXPECT_EQ(errorOf(),
              "ended by SIGTERM; a checkpoint was lost: net; rank 2: 28 checkpoints were lost; last: disk; and 1 rank "
              "more");
}

TEST_F(RankStatesTest, ALiveRanksJournalIsNotRemoved) {
    const auto journal = run_.store.paths().journal(run_.runId, 0);
    removeJournal(run_.store.paths(), run_.runId, 0);
    EXPECT_TRUE(std::filesystem::exists(journal));
    run_.journals.clear();
    removeJournal(run_.store.paths(), run_.runId, 0);
    EXPECT_FALSE(std::filesystem::exists(journal));
}

}  // namespace
}  // namespace dasgd::storage
