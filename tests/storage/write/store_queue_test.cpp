// A run that waits, taken over by the process that runs it.
#include <gmock/gmock.h>

#include "storage/queue/queue.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

class StoreQueueTest : public ::testing::Test {
protected:
    StoreQueueTest() {
        RunInfo info = runInfo("a");
        info.series = "a";
        info.seriesSize = 2;
        info.queueEntry.emplace();
        orDie(store_.addRun(info));
    }
    TempDir folder_;
    Store store_ = orDie(Store::open(folder_ / "w"));
};

TEST_F(StoreQueueTest, WhatWasAddedIsReadAgain) {
    const RunInfo info = orDie(store_.infoOf("a"));
    const RunInfo added = runInfo("a");
    EXPECT_EQ(info.experiment, added.experiment);
    EXPECT_EQ(info.config, added.config);
    EXPECT_EQ(info.seed, added.seed);
    EXPECT_EQ(info.trainers, added.workers);
    EXPECT_EQ(info.batchSize, added.batchSize);
    EXPECT_EQ(info.plannedSteps, added.plannedSteps);
    EXPECT_EQ(info.gitCommit, added.gitCommit);
    EXPECT_EQ(info.gitDirtyDiff, added.gitDirtyDiff);
    EXPECT_EQ(info.gitDirty, added.gitDirty);
    EXPECT_EQ(info.link, added.link);
    EXPECT_EQ(info.schema, added.schema);
    EXPECT_EQ(info.series, "a");
    EXPECT_EQ(info.seriesSize, 2);
    ASSERT_EQ(info.hardware.size(), 2U);
    EXPECT_EQ(info.hardware[1].name, "eth0");
    EXPECT_FALSE(store_.infoOf("nobody"));
}

TEST_F(StoreQueueTest, OneProcessHasIt) {
    orDie(store_.takeFromQueue("a", runInfo("a")));
    Store other = orDie(Store::open(folder_ / "w"));
    EXPECT_EQ(other.recovered(), 0);
    const Status second = other.takeFromQueue("a", runInfo("a"));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("is under way already"));
}

TEST_F(StoreQueueTest, AKilledProcessLeavesItInTheQueue) {
    SharedCounter taken;
    ChildProcess process([&] {
        Store own = orDie(Store::open(folder_ / "w"));
        orDie(own.takeFromQueue("a", runInfo("a")));
        taken.set(1);
        ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return taken.get() == 1; }));
    process.kill();
    EXPECT_EQ(orDie(Store::open(folder_ / "w")).recovered(), 0);
    EXPECT_EQ(orDie(orDie(RunReader::open(folder_ / "w")).row("a")).status, "queued");
    orDie(store_.takeFromQueue("a", runInfo("a")));
}

TEST_F(StoreQueueTest, WhereItRunsAndWithWhatIsThatOfItsStart) {
    RunInfo where;
    where.host = "node7";
    where.cpu = "other";
    where.versions = "{\"torch\":\"2.12.0\"}";
    where.hardware = {{.kind = kNic, .name = "ib0", .bitsPerS = 1e11}};
    orDie(store_.takeFromQueue("a", where));
    const RunDetail detail = orDie(orDie(RunReader::open(folder_ / "w")).detail("a"));
    EXPECT_EQ(detail.host, "node7");
    EXPECT_EQ(detail.cpu, "other");
    EXPECT_EQ(detail.versions, where.versions);
    ASSERT_EQ(detail.hardware.size(), 1U);
    EXPECT_EQ(detail.hardware[0].name, "ib0");
    EXPECT_EQ(detail.row.gitCommit, runInfo("a").gitCommit) << "of when it was queued";
    EXPECT_EQ(detail.gitDirtyDiff, "+ changed");
}

TEST_F(StoreQueueTest, WhatIsNoEntryIsRefused) {
    orDie(store_.addRun(runInfo("b")));
    Store other = orDie(Store::open(folder_ / "w"));
    orDie(store_.abandonRun("b", "stopped", ""));
    EXPECT_THAT(other.takeFromQueue("b", {}).error().message, HasSubstr("is not in the queue"));
    EXPECT_FALSE(other.takeFromQueue("nobody", {}));
    orDie(other.abandonRun("a", "interrupted", ""));
    EXPECT_THAT(other.takeFromQueue("a", {}).error().message, HasSubstr("is interrupted"));
}

}  // namespace
}  // namespace dasgd::storage
