#include "storage/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

RunRow rowOf(const OneRun& run) { return orDie(run.reader().run(run.runId)).row; }

TEST(RecorderTest, ARunGoesFromQueuedToFinished) {
    OneRun run;
    EXPECT_EQ(rowOf(run).status, "queued");
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    EXPECT_EQ(rowOf(run).status, "running");
    run.rank(0).span({.step = 1, .end = 2'000'000'000});
    run.rank(0).state(RankState::Finished, 1, "");
    RunReader reader = run.reader();
    EXPECT_TRUE(eventually([&] { return orDie(reader.spanCount(run.runId)) == 1; })) << "collected while it runs";
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(recorder->recordsStored(), 2);
    EXPECT_EQ(recorder->trouble(), "");
    EXPECT_EQ(rowOf(run).status, "finished");
    EXPECT_EQ(rowOf(run).error, "");
    EXPECT_DOUBLE_EQ(rowOf(run).wallS, 2.0);
    EXPECT_FALSE(fs::exists(run.store.paths().journal(run.runId, 0))) << "the journal is in lab.db and may go";
}

TEST(RecorderTest, AFailedRankIsNamedWithItsStep) {
    OneRun run(2);
    run.rank(0).state(RankState::Running, 3, "");
    run.rank(1).state(RankState::Failed, 17, "the loss is NaN");
    run.finish("failed");
    EXPECT_EQ(rowOf(run).status, "failed");
    EXPECT_EQ(rowOf(run).error, "rank 1 failed at step 17: the loss is NaN");
}

TEST(RecorderTest, TheOwnersWordsComeFirst) {
    OneRun run;
    run.rank(0).state(RankState::Failed, 17, "connection closed");
    run.finish("failed", "rank 1 was killed by signal 9");
    EXPECT_EQ(rowOf(run).error, "rank 1 was killed by signal 9");
}

TEST(RecorderTest, NobodyElseCollectsTheSameRank) {
    OneRun run(2);
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    Store other = orDie(Store::open(run.store.paths().root));
    const auto second = Recorder::start(other, run.runId, {0});
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, AllOf(HasSubstr("rank 0"), HasSubstr(std::to_string(::getpid()))));
    EXPECT_TRUE(Recorder::start(other, run.runId, {1}));
    EXPECT_FALSE(Recorder::start(other, "no-such-run", {0}));
    EXPECT_FALSE(Recorder::start(other, run.runId, {}));
}

// Workers started by hand: each adds the run, records its own rank and speaks for it alone.
TEST(RecorderTest, ProcessesThatCollectTheirOwnRankMakeOneRun) {
    const TempDir folder;
    const fs::path workspace = folder / "workspace";
    std::vector<ChildProcess> workers;
    for (int rank = 0; rank < 4; ++rank) {
        workers.emplace_back([&, rank] {
            Store store = orDie(Store::open(workspace));
            orDie(store.addRun(runInfo("by-hand", 4)));
            const auto recorder = orDie(Recorder::start(store, "by-hand", {rank}));
            {
                const auto journal = newJournal(store.paths().journal("by-hand", rank));
                for (std::int64_t step = 1; step <= 500; ++step) {
                    journal->span({.step = step, .start = step * 10, .end = step * 10 + 9});
                    journal->metric({.name = "train/loss",
                                     .step = step,
                                     .wall = step * 10,
                                     .samples = step * 128,
                                     .bytesSent = step,
                                     .value = 1.0 + rank});
                    if (step % 100 == 0) ::usleep(20'000);
                }
                journal->state(RankState::Finished, 500, "");
            }
            orDie(recorder->finish("finished", ""));
            return 0;
        });
    }
    for (ChildProcess& worker : workers) EXPECT_EQ(worker.wait(), 0);
    RunReader reader = orDie(RunReader::open(workspace));
    const RunRow row = orDie(reader.run("by-hand")).row;
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.steps, 500);
    EXPECT_EQ(row.samples, 500 * 128);
    EXPECT_EQ(row.bytesSent, 4 * 500);
    EXPECT_DOUBLE_EQ(row.finalLoss.value(), 2.5);
    EXPECT_EQ(orDie(reader.spanCount("by-hand")), 2000);
    EXPECT_EQ(orDie(reader.spans("by-hand", {0, 10'000})).size(), 2000U);
}

TEST(RecorderTest, TheWorstOutcomeOfTheRanksIsTheRuns) {
    OneRun run(2);
    Store other = orDie(Store::open(run.store.paths().root));
    orDie(other.addRun(runInfo(run.runId, 2)));
    const auto first = orDie(Recorder::start(run.store, run.runId, {0}));
    const auto second = orDie(Recorder::start(other, run.runId, {1}));
    run.journals.clear();
    orDie(first->finish("failed", "rank 0 gave up"));
    EXPECT_EQ(rowOf(run).status, "running");
    orDie(second->finish("stopped", ""));
    EXPECT_EQ(rowOf(run).status, "failed");
    EXPECT_EQ(rowOf(run).error, "rank 0 gave up");
    const auto again = Recorder::start(run.store, run.runId, {0});
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("ended already"));
}

TEST(RecorderTest, ARankThatNeverCameLeavesTheRunInterrupted) {
    OneRun run(2);
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(rowOf(run).status, "interrupted");
}

TEST(RecorderTest, ADamagedJournalIsReportedAndKept) {
    OneRun run;
    for (std::int64_t step = 0; step < 100; ++step) run.rank(0).span({.step = step});
    const fs::path journal = run.store.paths().journal(run.runId, 0);
    std::fstream file(journal / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(51 * 64 + 30);
    file.put('x');
    file.close();
    run.finish();
    EXPECT_EQ(orDie(run.reader().spanCount(run.runId)), 50);
    EXPECT_THAT(rowOf(run).error, AllOf(HasSubstr("rank 0"), HasSubstr("damaged after record 50")));
    EXPECT_TRUE(fs::exists(journal));
}

TEST(RecorderTest, TwoRecordersOfDifferentRunsDoNotMix) {
    const TempDir folder;
    const fs::path workspace = folder / "workspace";
    std::vector<ChildProcess> recorders;
    for (int number = 0; number < 2; ++number) {
        recorders.emplace_back([&, number] {
            const std::string id = "run-" + std::to_string(number);
            Store store = orDie(Store::open(workspace));
            orDie(store.addRun(runInfo(id)));
            const auto recorder = orDie(Recorder::start(store, id, {0}));
            {
                const auto journal = newJournal(store.paths().journal(id, 0));
                for (std::int64_t step = 0; step < 30'000; ++step) {
                    journal->span({.step = step * 2 + number, .start = step});
                    if (step % 500 == 0) ::usleep(5000);
                }
            }
            orDie(recorder->finish("finished", ""));
            return 0;
        });
    }
    for (ChildProcess& recorder : recorders) EXPECT_EQ(recorder.wait(), 0);
    RunReader reader = orDie(RunReader::open(workspace));
    for (int number = 0; number < 2; ++number) {
        std::int64_t next = 0;
        orDie(reader.eachSpan("run-" + std::to_string(number), [&](const SpanRow& row) {
            EXPECT_EQ(row.span.step, 2 * next++ + number);
            return row.span.step == 2 * (next - 1) + number;
        }));
        EXPECT_EQ(next, 30'000);
    }
}

// The disk is full while records come: one complaint, nothing lost, and it goes on when there is room.
TEST(RecorderTest, AFullDiskOnlyDelays) {
    const TempDir folder;
    ChildProcess child([&] {
        const SmallDisk disk(folder.path(), 6 << 20);
        OneRun run(1, "run-a", folder.path());
        const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
        const fs::path ballast = run.store.paths().root / "ballast";
        std::optional<NoRoom> noRoom;
        if (disk.mounted()) {
            std::ofstream(ballast) << std::string(16 << 20, 'x');
        } else {
            noRoom.emplace();
        }
        for (std::int64_t step = 0; step < 200; ++step) run.rank(0).span({.step = step, .start = step});
        run.rank(0).state(RankState::Running, 1, std::string(8000, 't'));
        if (!eventually([&] { return !recorder->trouble().empty(); })) return 1;
        if (recorder->trouble().find("lab.db") == std::string::npos) return 2;
        fs::remove(ballast);
        noRoom.reset();
        if (!eventually([&] { return recorder->trouble().empty() && recorder->recordsStored() == 201; })) return 3;
        run.journals.clear();
        orDie(recorder->finish("finished", ""));
        return orDie(run.reader().spanCount(run.runId)) == 200 ? 0 : 4;
    });
    EXPECT_EQ(child.wait(), 0);
}

// A window that asks all the time neither stops the writer nor sees half a batch.
TEST(RecorderTest, ReadersAndTheWriterDoNotHinderEachOther) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    std::atomic<bool> end{false};
    std::thread window([&] {
        RunReader reader = run.reader();
        std::int64_t rowid = 0;
        std::int64_t seen = 0;
        while (!end) {
            const MetricAnswer answer =
                orDie(reader.metrics({.runId = run.runId, .name = "train/loss", .afterRowid = rowid}));
            for (const MetricSample& sample : answer.samples) EXPECT_EQ(sample.step, seen++);
            rowid = answer.lastRowid;
            const auto spans = orDie(reader.spans(run.runId, {0, 1'000'000'000}));
            EXPECT_GE(static_cast<std::int64_t>(spans.size()), seen);
        }
    });
    for (std::int64_t step = 0; step < 5000; ++step) {
        run.rank(0).span({.step = step, .start = step, .end = step + 1});
        run.rank(0).metric({.name = "train/loss", .step = step});
        if (step % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(eventually([&] { return recorder->recordsStored() == 10'000; }));
    end = true;
    window.join();
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
}

}  // namespace
}  // namespace dasgd::storage
