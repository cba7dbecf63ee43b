#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

// A process that has run-a under way and waits to be killed; its rank has said `said`.
class Owner {
public:
    Owner(const std::filesystem::path& workspace, RankState said)
        : process_([this, &workspace, said] {
              Store store = orDie(Store::open(workspace));
              orDie(store.addRun(runInfo("run-a")));
              const auto recorder = orDie(Recorder::start(store, "run-a", {0}));
              const auto journal = newJournal(store.paths().journal("run-a", 0));
              journal->state(said, 5, "");
              while (recorder->recordsStored() < 1) ::usleep(1000);
              ready_.set(1);
              ::pause();
              return 0;
          }) {}
    [[nodiscard]] bool runs() {
        return eventually([this] { return ready_.get() == 1; });
    }
    void kill() { process_.kill(); }

private:
    SharedCounter ready_;
    ChildProcess process_;
};

TEST(RunReaderLostTest, WhatTheStoreWillWriteIsKnownBefore) {
    const struct {
        RankState said;
        const char* status;
    } cases[] = {{RankState::Running, "interrupted"}, {RankState::Finished, "finished"}, {RankState::Failed, "failed"}};
    for (const auto& each : cases) {
        const TempDir folder;
        Owner owner(folder / "w", each.said);
        ASSERT_TRUE(owner.runs());
        RunReader reader = orDie(RunReader::open(folder / "w"));
        EXPECT_FALSE(orDie(reader.lost("run-a"))) << "it is under way";
        owner.kill();
        const auto end = orDie(reader.lost("run-a"));
        ASSERT_TRUE(end);
        EXPECT_EQ(end->status, each.status);
        EXPECT_EQ(orDie(reader.row("run-a")).status, "running") << "nothing is written";
        EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 1);
        const RunRow row = orDie(reader.row("run-a"));
        EXPECT_EQ(row.status, end->status);
        EXPECT_EQ(row.error, end->error);
        EXPECT_FALSE(orDie(reader.lost("run-a"))) << "it has its end";
    }
}

TEST(RunReaderLostTest, AQueuedRunIsLostWithItsLauncherToo) {
    const TempDir folder;
    auto store = std::make_unique<Store>(orDie(Store::open(folder / "w")));
    orDie(store->addRun(runInfo("run-a")));
    RunReader reader = orDie(RunReader::open(folder / "w"));
    EXPECT_FALSE(orDie(reader.lost("run-a")));
    store.reset();
    const auto end = orDie(reader.lost("run-a"));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, "interrupted");
    EXPECT_THAT(end->error, HasSubstr(std::to_string(::getpid())));
}

TEST(RunReaderLostTest, WhoCannotBeAskedIsNotTakenForDead) {
    OneRun run;
    const auto lock = run.store.paths().owner(run.runId);
    run.store = orDie(Store::open(run.folder / "other"));
    RunReader reader = orDie(RunReader::open(run.folder / "workspace"));
    EXPECT_FALSE(orDie(reader.lost(run.runId))) << "a rank still writes";
    run.journals.clear();
    EXPECT_TRUE(orDie(reader.lost(run.runId)));
    std::filesystem::remove(lock);
    EXPECT_FALSE(orDie(reader.lost(run.runId))) << "without a lock nothing is known";
    EXPECT_FALSE(std::filesystem::exists(lock));
    EXPECT_FALSE(orDie(reader.lost("no-such-run")));
}

TEST(RunReaderLostTest, ARunWhoseFolderWasRemovedIsLost) {
    OneRun run;
    RunReader reader = orDie(RunReader::open(run.folder / "workspace"));
    EXPECT_FALSE(orDie(reader.lost(run.runId)));
    run.journals.clear();
    run.store = orDie(Store::open(run.folder / "other"));
    std::filesystem::remove_all(run.folder / "workspace" / "runs" / run.runId);
    const auto end = orDie(reader.lost(run.runId));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, "interrupted");
    EXPECT_FALSE(std::filesystem::exists(run.folder / "workspace" / "runs" / run.runId)) << "a reader makes nothing";
    EXPECT_EQ(orDie(Store::open(run.folder / "workspace")).recovered(), 1);
    EXPECT_EQ(orDie(reader.row(run.runId)).status, end->status);
}

}  // namespace
}  // namespace dasgd::storage
