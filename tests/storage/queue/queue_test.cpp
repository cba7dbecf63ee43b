// Runs that belong to no process while they wait.
#include "storage/queue/queue.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunInfo entryInfo(const std::string& id, int restarts = 0) {
    RunInfo info = runInfo(id);
    info.queueEntry = {.cores = 2, .gpus = 1, .restarts = restarts, .replaces = {}};
    return info;
}

class WorkspaceQueue : public ::testing::Test {
protected:
    WorkspaceQueue() {
        for (const char* id : {"a", "b", "c"}) orDie(store_.addRun(entryInfo(id, 1)));
    }
    std::vector<std::string> order() {
        std::vector<std::string> ids;
        for (const QueueEntry& entry : orDie(queue_.read()).entries) ids.push_back(entry.runId);
        return ids;
    }
    std::string statusOf(const std::string& id) { return orDie(reader_.row(id)).status; }

    TempDir folder_;
    Store store_ = orDie(Store::open(folder_ / "w"));
    QueueStore queue_ = orDie(QueueStore::open(folder_ / "w"));
    RunReader reader_ = orDie(RunReader::open(folder_ / "w"));
};

TEST_F(WorkspaceQueue, EntriesStartInTheOrderInWhichTheyCame) {
    EXPECT_THAT(order(), ElementsAre("a", "b", "c"));
    const QueueEntry first = orDie(queue_.read()).entries.front();
    EXPECT_EQ(first.status, "queued");
    EXPECT_EQ(first.cores, 2);
    EXPECT_EQ(first.gpus, 1);
    EXPECT_EQ(first.restarts, 1);
    EXPECT_FALSE(first.held);
}

TEST_F(WorkspaceQueue, NobodyOwnsThemAndTheyAreNotLost) {
    EXPECT_TRUE(FileLock::isFree(store_.paths().owner("a")));
    EXPECT_FALSE(orDie(reader_.lost("a")));
    EXPECT_EQ(orDie(Store::open(folder_ / "w")).recovered(), 0);
    EXPECT_EQ(statusOf("a"), "queued");
}

TEST_F(WorkspaceQueue, TurnsAndHoldsAreKept) {
    orDie(queue_.setTurns({{"a", 2}, {"c", 0}, {"nobody", 7}}));
    EXPECT_THAT(order(), ElementsAre("c", "b", "a"));
    orDie(queue_.setHeld({"b"}, true));
    EXPECT_TRUE(orDie(reader_.row("b")).held);
    orDie(queue_.setHeld({"b"}, false));
    EXPECT_FALSE(orDie(reader_.row("b")).held);
    orDie(queue_.setPaused(true));
    orDie(queue_.setAtOnce(3));
    EXPECT_TRUE(orDie(reader_.queue()).paused);
    EXPECT_EQ(orDie(reader_.queue()).atOnce, 3);
}

// SQLite goes on reading what nobody else can open.
TEST_F(WorkspaceQueue, ADatabaseThatIsRemovedOrReplacedIsNoticed) {
    orDie(queue_.checkFile());
    const std::filesystem::path database = store_.paths().database();
    std::filesystem::copy_file(database, database.string() + ".copy");
    std::filesystem::rename(database.string() + ".copy", database);
    EXPECT_TRUE(queue_.read());
    EXPECT_THAT(queue_.checkFile().error().message, HasSubstr(database.string() + " was removed or replaced"));
    std::filesystem::remove(database);
    EXPECT_FALSE(queue_.checkFile());
}

TEST_F(WorkspaceQueue, OneThatWaitsIsTakenOutAtOnce) {
    EXPECT_EQ(orDie(queue_.cancel("b")), QueueStore::Cancelled::TakenOut);
    EXPECT_THAT(order(), ElementsAre("a", "c"));
    EXPECT_EQ(statusOf("b"), "stopped");
    EXPECT_FALSE(store_.takeFromQueue("b", runInfo("b")));
}

TEST_F(WorkspaceQueue, OneThatSomeProcessHasIsMarked) {
    orDie(store_.takeFromQueue("b", runInfo("b")));
    EXPECT_EQ(orDie(queue_.cancel("b")), QueueStore::Cancelled::Marked);
    EXPECT_EQ(statusOf("b"), "queued");
    EXPECT_TRUE(orDie(queue_.read()).entries[1].cancelled);
    EXPECT_THAT(order(), ElementsAre("a", "b", "c")) << "whoever has it takes it out";
    EXPECT_FALSE(orDie(queue_.spendRestart("b"))) << "it does not go on";
}

TEST_F(WorkspaceQueue, OneThatWaitsToGoOnIsTakenOutWithItsStatus) {
    orDie(store_.abandonRun("a", "interrupted", ""));
    EXPECT_EQ(orDie(queue_.cancel("a")), QueueStore::Cancelled::TakenOut);
    EXPECT_EQ(statusOf("a"), "interrupted");
    EXPECT_THAT(order(), ElementsAre("b", "c"));
}

TEST_F(WorkspaceQueue, TheNextOfALineageTakesThePlaceOnce) {
    orDie(store_.abandonRun("a", "interrupted", ""));
    RunInfo next = runInfo("a2");
    next.queueEntry = {.restarts = 0, .replaces = "a", .reason = "interrupted: killed"};
    orDie(store_.addRun(next));
    EXPECT_EQ(orDie(queue_.read()).entries[0].restarted, 1);
    EXPECT_EQ(orDie(queue_.read()).entries[0].restartReason, "interrupted: killed");
    EXPECT_EQ(orDie(reader_.row("a2")).restarted, 1);
    EXPECT_EQ(orDie(reader_.row("a")).restarted, 0);
    EXPECT_THAT(order(), ElementsAre("a2", "b", "c"));
    EXPECT_EQ(orDie(queue_.read()).entries[0].cores, 2) << "with what it needs";
    EXPECT_EQ(orDie(queue_.read()).entries[0].restarts, 0);
    next.runId = "a3";
    const Status again = store_.addRun(next);
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("is not in the queue any more"));
    EXPECT_FALSE(reader_.row("a3")) << "and no run was made";
    next.queueEntry->replaces = "a2";
    next.queueEntry->reason = "failed: again";
    orDie(store_.addRun(next));
    orDie(queue_.remove("a3"));
    EXPECT_EQ(orDie(reader_.row("a3")).restarted, 2) << "of the whole training, and known once it is no entry";
    EXPECT_EQ(orDie(reader_.row("a3")).restartReason, "failed: again");
}

TEST_F(WorkspaceQueue, RestartsAreSpent) {
    EXPECT_TRUE(orDie(queue_.spendRestart("a")));
    EXPECT_FALSE(orDie(queue_.spendRestart("a")));
    EXPECT_FALSE(orDie(queue_.spendRestart("nobody")));
    orDie(queue_.remove("a"));
    EXPECT_THAT(order(), ElementsAre("b", "c"));
    EXPECT_EQ(statusOf("a"), "queued") << "its row is not touched";
}

RunInfo ofSeries(const std::string& id, std::int64_t place) {
    RunInfo info = runInfo(id);
    info.series = "s0";
    info.seriesPlace = place;
    info.seriesSize = 3;
    return info;
}

std::vector<std::string> idsOf(const std::vector<ForeignRun>& runs) {
    std::vector<std::string> ids;
    for (const ForeignRun& run : runs) ids.push_back(run.runId);
    return ids;
}

TEST_F(WorkspaceQueue, RunsOfOtherCommandsAreForeignWhileTheyTrainAndInBetween) {
    for (std::int64_t place = 0; place < 3; ++place) orDie(store_.addRun(ofSeries("s" + std::to_string(place), place)));
    EXPECT_THAT(orDie(queue_.foreignRuns()), IsEmpty()) << "the command has not begun";
    auto recorder = orDie(Recorder::start(store_, "s0", {0}));
    EXPECT_THAT(idsOf(orDie(queue_.foreignRuns())), ElementsAre("s0"));
    {
        const auto journal = newJournal(store_.paths().journal("s0", 0));
        journal->metric({.name = "train/loss", .step = 4, .value = 1});
    }
    static_cast<void>(orDie(recorder->finish("finished", "")));
    EXPECT_THAT(idsOf(orDie(queue_.foreignRuns())), ElementsAre("s1")) << "about to start";
    orDie(store_.setQueue({{"s1", 1, true}, {"s2", 2, true}}));
    EXPECT_THAT(orDie(queue_.foreignRuns()), IsEmpty()) << "held: it may last";
}

TEST_F(WorkspaceQueue, RunsOfOtherWorkspacesTakeNothingHere) {
    orDie(store_.addRun(runInfo("away")));
    SQLite::Database database(store_.paths().database().string(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE run SET status = 'running' WHERE run_id = 'away'");
    EXPECT_THAT(idsOf(orDie(queue_.foreignRuns())), ElementsAre("away"));
    database.exec("INSERT INTO mirror_source (id, workspace, origin, heard_at) VALUES (1, 'w', 'ssh://login/w', '')");
    database.exec("INSERT INTO mirror_run (run, source) SELECT id, 1 FROM run WHERE run_id = 'away'");
    EXPECT_THAT(orDie(queue_.foreignRuns()), IsEmpty()) << "it trains there";
}

TEST_F(WorkspaceQueue, WhatIsNoEntryAnyMoreIsNotSaidToBeTakenOut) {
    orDie(queue_.remove("b"));
    const auto cancelled = queue_.cancel("b");
    ASSERT_FALSE(cancelled);
    EXPECT_THAT(cancelled.error().message, HasSubstr("left the queue just now"));
}

TEST_F(WorkspaceQueue, TheViewHasTheColumnsThatAreDocumented) {
    SQLite::Database database(store_.paths().database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT * FROM queue_list");
    std::vector<std::string> names;
    for (int i = 0; i < query.getColumnCount(); ++i) names.emplace_back(query.getColumnName(i));
    EXPECT_THAT(names, ElementsAre("run_id", "status", "turn", "held", "cancelled", "cores", "gpus", "restarts",
                                   "after_failure", "restarted", "restart_reason"));
}

TEST_F(WorkspaceQueue, WhoWorksItIsSeenFromOutside) {
    EXPECT_EQ(queueWorker(store_.paths()), "");
    {
        const auto lock = orDie(FileLock::tryNow(queueLock(store_.paths()), FileLock::Kind::Exclusive));
        ASSERT_TRUE(lock);
        lock->sign();
        EXPECT_THAT(queueWorker(store_.paths()), HasSubstr(std::to_string(::getpid())));
        EXPECT_EQ(orDie(reader_.queueWorker()), queueWorker(store_.paths()));
    }
    EXPECT_EQ(queueWorker(store_.paths()), "");
}

}  // namespace
}  // namespace dasgd::storage
