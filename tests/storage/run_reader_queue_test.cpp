#include <gtest/gtest.h>

#include "storage/queue.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

// Turns have gaps once some runs have started; people count those that wait.
TEST(RunReaderQueueTest, TheTurnOfAnEntryIsItsPlaceAmongThoseThatWait) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (const char* id : {"a", "b", "c"}) {
        RunInfo info = runInfo(id);
        info.queueEntry.emplace();
        orDie(store.addRun(info));
    }
    RunReader reader = orDie(RunReader::open(folder / "w"));
    const auto turn = [&](const char* id) { return orDie(reader.row(id)).queueTurn; };
    EXPECT_EQ(turn("c"), 2);
    orDie(store.takeFromQueue("a", runInfo("a")));
    const auto recorder = orDie(Recorder::start(store, "a", {0}));
    EXPECT_EQ(turn("a"), std::nullopt) << "it runs";
    EXPECT_EQ(turn("b"), 0);
    EXPECT_EQ(turn("c"), 1);
    EXPECT_TRUE(orDie(reader.row("a")).inQueue);
    for (const RunRow& row : orDie(reader.runs())) EXPECT_EQ(row.queueTurn, turn(row.runId.c_str())) << row.runId;
    orDie(store.addRun(runInfo("own")));
    EXPECT_FALSE(orDie(reader.row("own")).inQueue);
    EXPECT_EQ(turn("own"), std::nullopt);
    EXPECT_EQ(orDie(reader.queue()).entries.size(), 3U);
}

}  // namespace
}  // namespace dasgd::storage
