#include "storage/run_end.h"

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

class RankStatesTest : public ::testing::Test {
protected:
    RankStatesTest() : connection_(orDie(WriteConnection::open(run_.store.paths()))) {}
    void say(int rank, RankState state) {
        SQLite::Statement write(connection_->database(), "INSERT INTO rank_state (run, rank, state) VALUES (1, ?, ?)");
        write.bind(1, rank);
        write.bind(2, static_cast<int>(state));
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
    EXPECT_EQ(orDie(run_.reader().run(run_.runId)).row.error, "first");
    EXPECT_EQ(orDie(run_.reader().run(run_.runId)).row.status, "failed");
    writeStatus(connection_->database(), 1, "failed", "second");
    EXPECT_EQ(orDie(run_.reader().run(run_.runId)).row.error, "second");
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
