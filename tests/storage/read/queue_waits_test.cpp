#include "storage/read/queue_waits.h"

#include <gtest/gtest.h>

#include "storage/queue/queue.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

// Turns have gaps once some runs have started; people count those that wait.
TEST(QueueWaitsTest, TheTurnOfAnEntryIsItsPlaceAmongThoseThatWait) {
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
    for (const RunRow& row : orDie(reader.list())) EXPECT_EQ(row.queueTurn, turn(row.runId.c_str())) << row.runId;
    orDie(store.addRun(runInfo("own")));
    EXPECT_FALSE(orDie(reader.row("own")).inQueue);
    EXPECT_EQ(turn("own"), std::nullopt);
    EXPECT_EQ(orDie(reader.queue()).entries.size(), 3U);
}

TEST(QueueWaitsTest, SaysWhatARunOfTheQueueWaitsFor) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (const char* id : {"a", "b", "c"}) {
        RunInfo info = runInfo(id);
        info.queueEntry = {.cores = 2, .gpus = 1};
        orDie(store.addRun(info));
    }
    RunReader reader = orDie(RunReader::open(folder / "w"));
    const auto waitsFor = [&](const char* id) { return orDie(reader.detail(id)).waitsFor; };
    EXPECT_EQ(waitsFor("a"), "a process that works the queue");
    const auto worked = orDie(takeQueueLock(store.paths()));
    ASSERT_TRUE(worked);
    EXPECT_EQ(waitsFor("a"), "") << "nothing keeps it";
    EXPECT_EQ(waitsFor("b"), "1 run whose turn is before it");
    EXPECT_EQ(waitsFor("c"), "2 runs whose turns are before it");
    QueueStore queue = orDie(QueueStore::open(folder / "w"));
    orDie(queue.setHeld({"a"}, true));
    EXPECT_EQ(waitsFor("a"), "its release: it is held");
    EXPECT_EQ(waitsFor("b"), "") << "what is held starts after it";
    orDie(queue.setHeld({"a"}, false));
    orDie(queue.setPaused(true));
    EXPECT_EQ(waitsFor("a"), "the queue, which is paused");
    orDie(queue.setPaused(false));
    orDie(store.takeFromQueue("a", runInfo("a")));
    const auto recorder = orDie(Recorder::start(store, "a", {0}));
    EXPECT_EQ(waitsFor("a"), "") << "it runs";
    EXPECT_EQ(waitsFor("b"), "2 cores and 1 GPU, while a trains");
    EXPECT_EQ(waitsFor("c"), "1 run whose turn is before it");
    orDie(store.addRun(runInfo("own")));
    EXPECT_EQ(waitsFor("own"), "") << "it is not in the queue";
}

TEST(QueueWaitsTest, SaysWhichRunOfItsOwnCommandARunWaitsFor) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (std::int64_t place = 0; place < 3; ++place) {
        RunInfo info = runInfo(std::string(1, static_cast<char>('a' + place)));
        info.series = "a";
        info.seriesPlace = place;
        info.seriesSize = 3;
        orDie(store.addRun(info));
    }
    RunReader reader = orDie(RunReader::open(folder / "w"));
    const auto waitsFor = [&](const char* id) { return orDie(reader.detail(id)).waitsFor; };
    const auto recorder = orDie(Recorder::start(store, "a", {0}));
    EXPECT_EQ(waitsFor("a"), "") << "it runs";
    EXPECT_EQ(waitsFor("b"), "its turn in its own series, after a");
    EXPECT_EQ(waitsFor("c"), "its turn in its own series, after b");
    orDie(store.setQueue({{"c", 1, false}, {"b", 2, false}}));
    EXPECT_EQ(waitsFor("c"), "its turn in its own series, after a");
    EXPECT_EQ(waitsFor("b"), "its turn in its own series, after c");
    orDie(store.setQueue({{"c", 1, true}, {"b", 2, false}}));
    EXPECT_EQ(waitsFor("c"), "its release: it is held");
    EXPECT_EQ(waitsFor("b"), "its turn in its own series, after a") << "what is held starts after it";
    orDie(store.addRun(runInfo("own")));
    EXPECT_EQ(waitsFor("own"), "") << "it is of no series";
}

}  // namespace
}  // namespace dasgd::storage
