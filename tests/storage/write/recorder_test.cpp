#include "storage/write/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>
#include <fstream>
#include <string_view>
#include <thread>

#include "tests/support/foreign_writer.h"
#include "tests/support/processes.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(RecorderTest, ARunGoesFromQueuedToFinished) {
    OneRun run;
    EXPECT_EQ(rowOf(run).status, "queued");
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    EXPECT_EQ(rowOf(run).status, "running");
    EXPECT_EQ(rowOf(run).endedAt, "");
    run.rank(0).span({.step = 1, .end = 2'000'000'000});
    run.rank(0).state(RankState::Finished, 1, "");
    WorkspaceReader reader = run.reader();
    EXPECT_TRUE(eventually([&] { return orDie(reader.spans().count(run.runId)) == 1; })) << "collected while it runs";
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(recorder->recordsStored(), 2);
    EXPECT_EQ(recorder->currentError(), "");
    EXPECT_EQ(rowOf(run).status, "finished");
    EXPECT_EQ(rowOf(run).error, "");
    EXPECT_DOUBLE_EQ(rowOf(run).wallS, 2.0);
    EXPECT_GE(rowOf(run).endedAt, rowOf(run).startedAt) << "the same form, in which order is that of time";
    EXPECT_FALSE(fs::exists(run.store.paths().journal(run.runId, 0))) << "the journal is in lab.db and may go";
}

// Another program, such as a shell, does not know of our lock. SQLite itself would give up after the 5 s that were
// asked for.
TEST(RecorderTest, ARunEndsThoughAnotherProgramWritesForLong) {
    ForeignWriter shell;
    OneRun run;
    ASSERT_TRUE(shell.hold(run.store.paths().database().string(), std::chrono::seconds(7)));
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    run.rank(0).state(RankState::Finished, 1, "");
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(shell.wait(), 0);
    EXPECT_EQ(rowOf(run).status, "finished");
}

// The collector of the first run meets a shell's transaction; the second run ends meanwhile.
TEST(RecorderTest, ARunThatEndsDoesNotWaitForTheCollectorOfAnother) {
    ForeignWriter shell;
    OneRun run;
    orDie(run.store.addRun(runInfo("run-b")));
    auto journal = newJournal(run.store.paths().journal("run-b", 0));
    const auto first = orDie(Recorder::start(run.store, run.runId, {0}));
    const auto second = orDie(Recorder::start(run.store, "run-b", {0}));
    ASSERT_TRUE(shell.hold(run.store.paths().database().string(), std::chrono::seconds(8)));
    run.rank(0).state(RankState::Finished, 1, "");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the first collector waits by now
    journal->state(RankState::Finished, 1, "");
    journal.reset();
    orDie(second->finish("finished", ""));
    EXPECT_EQ(orDie(run.reader().runs().row("run-b")).status, "finished");
    run.journals.clear();
    orDie(first->finish("finished", ""));
    EXPECT_EQ(rowOf(run).status, "finished");
    EXPECT_EQ(shell.wait(), 0);
}

// The calendar was set back by an hour while the run was under way.
TEST(RecorderTest, ARunDoesNotEndBeforeItStarted) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    {
        SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READWRITE, 10'000);
        database.exec("UPDATE run SET started_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 hour')");
    }
    run.rank(0).state(RankState::Finished, 1, "");
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_GE(rowOf(run).endedAt, rowOf(run).startedAt);
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

// Workers are started by hand: each adds the run, records its own rank and reports for that rank alone.
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
    WorkspaceReader reader = orDie(WorkspaceReader::open(workspace));
    const RunRow row = orDie(reader.runs().detail("by-hand")).row;
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.steps, 500);
    EXPECT_EQ(row.samples, 500 * 128);
    EXPECT_EQ(row.bytesSent, 4 * 500);
    EXPECT_DOUBLE_EQ(row.finalLoss.value(), 2.5);
    EXPECT_EQ(orDie(reader.spans().count("by-hand")), 2000);
    EXPECT_EQ(orDie(reader.spans().touching("by-hand", {0, 10'000})).size(), 2000U);
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

TEST(RecorderTest, AThousandRanksShareOneJournal) {
    constexpr int kRanks = 1024;
    constexpr std::int64_t kSteps = 20;
    SharedRun run(kRanks);
    const auto recorder = run.record();
    for (std::int64_t step = 1; step <= kSteps; ++step) {
        for (int rank = 0; rank < kRanks; ++rank) {
            EventSink& sink = run.rank(rank);
            sink.span({.step = step, .start = step * 100 + rank, .end = step * 100 + rank + 50});
            sink.metric({.name = "train/loss",
                         .step = step,
                         .wall = step * 100 + rank,
                         .samples = step * kRanks,
                         .bytesSent = step,
                         .value = 1.0 + rank});
            if (step == kSteps) sink.state(RankState::Finished, step, "");
        }
    }
    WorkspaceReader reader = run.reader();
    EXPECT_TRUE(eventually([&] { return orDie(reader.spans().count(run.runId)) == kRanks * kSteps; }));
    run.journal.reset();
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(recorder->recordsStored(), kRanks * (2 * kSteps + 1));
    const RunRow row = orDie(reader.runs().detail(run.runId)).row;
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.steps, kSteps);
    EXPECT_EQ(row.samples, kSteps * kRanks);
    EXPECT_EQ(row.bytesSent, kSteps * kRanks);
    EXPECT_DOUBLE_EQ(row.finalLoss.value(), 1.0 + (kRanks - 1) / 2.0);
    for (const int rank : {0, 1, 500, kRanks - 1}) {
        const auto losses =
            orDie(reader.metrics().samples({.runId = run.runId, .name = "train/loss", .rank = rank})).samples;
        ASSERT_EQ(losses.size(), static_cast<std::size_t>(kSteps));
        for (std::size_t i = 0; i < losses.size(); ++i) {
            EXPECT_EQ(losses[i].step, static_cast<std::int64_t>(i) + 1);
            EXPECT_EQ(losses[i].value, 1.0 + rank);
        }
    }
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(run.store.paths().run(run.runId) / "journal")) {
        left.push_back(entry.path().filename());
    }
    EXPECT_THAT(left, ElementsAre("rank-0000.lock")) << "one lock, and no journal once lab.db holds it";
}

// All that lab.db knows of the runs' records, but for places in journals.
std::string dump(const WorkspacePaths& paths) {
    SQLite::Database database(paths.database().string(), SQLite::OPEN_READONLY);
    std::string text;
    for (const char* sql : {"SELECT * FROM run_list",
                            "SELECT newest_ns, spans, first_span_ns, last_span_ns, loss, "
                            "loss_min, loss_max, eval_loss, evaluated FROM run",
                            "SELECT rank, events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, "
                            "hidden_s, transfer_s, "
                            "blocked_s, compute_s, skew_s, collectives, inflation, timed_steps, timed_s, outcome, "
                            "state_text FROM rank_state ORDER BY rank",
                            "SELECT rank, state, step, text FROM state_event ORDER BY rank, id",
                            "SELECT * FROM metric_points ORDER BY rank, name, step",
                            "SELECT * FROM span_list ORDER BY rank, step, kind, start_ns"}) {
        SQLite::Statement query(database, sql);
        while (query.executeStep()) {
            for (int i = 0; i < query.getColumnCount(); ++i) {
                if (std::string_view(query.getColumnName(i)).ends_with("ed_at")) continue;
                text += query.getColumn(i).isNull() ? "NULL" : query.getColumn(i).getString();
                text += i + 1 == query.getColumnCount() ? '\n' : '|';
            }
        }
    }
    return text;
}

// Records of one of four ranks in one of 40 steps.
void sayStep(int rank, std::int64_t step, EventSink& sink) {
    const Ns now = step * 1000 + rank;
    const auto say = [&](const char* name, double value) {
        sink.metric({.name = name, .step = step, .wall = now, .samples = step * 64, .bytesSent = now, .value = value});
    };
    if (step == 1) sink.state(RankState::Running, 0, "rank " + std::to_string(rank));
    sink.span({.kind = SpanKind::Forward, .step = step, .start = now, .end = now + 400});
    sink.span({.lane = Lane::Comm, .kind = SpanKind::Reduce, .step = step, .start = now, .end = now + 700, .bytes = 9});
    say("train/loss", rank == 3 && step == 17 ? std::nan("") : 1.0 / static_cast<double>(step + rank));
    say("throughput/samples_per_s", static_cast<double>(now));
    if (step % 10 != 0) return;
    say("timing/steps", static_cast<double>(step));
    say("timing/seconds", static_cast<double>(step + rank));
    sink.span({.lane = Lane::Comm,
               .kind = SpanKind::Reduce,
               .step = step,
               .start = now,
               .end = step * 1000 + 700,
               .collective = static_cast<std::uint64_t>(step)});
    sink.span({.lane = Lane::Io, .kind = SpanKind::Window, .step = step, .start = now, .end = now + 900, .bytes = 1});
    say("eval/accuracy", 0.01 * static_cast<double>(step));
    say("eval/loss", 3.0 - static_cast<double>(rank));
    if (step == 40) sink.state(rank == 2 ? RankState::Failed : RankState::Stopped, step, std::string(300, 'w'));
}

TEST(RecorderTest, ASharedJournalSaysWhatOneForEachRankSays) {
    OneRun each(4);
    SharedRun shared(4);
    for (std::int64_t step = 1; step <= 40; ++step) {
        for (int rank = 0; rank < 4; ++rank) {
            sayStep(rank, step, each.rank(rank));
            sayStep(rank, step, shared.rank(rank));
        }
    }
    each.finish("failed");
    shared.finish("failed");
    EXPECT_EQ(dump(shared.store.paths()), dump(each.store.paths()));
    EXPECT_THAT(dump(shared.store.paths()), HasSubstr("rank 2 failed at step 40: www"));
}

TEST(RecorderTest, OneProcessReadsASharedJournal) {
    SharedRun run(3);
    const auto recorder = run.record();
    Store other = orDie(Store::open(run.store.paths().root));
    EXPECT_FALSE(Recorder::start(other, run.runId, run.ranks, {0}));
    const auto stranger = Recorder::start(other, run.runId, {1, 2}, {0});
    ASSERT_FALSE(stranger);
    EXPECT_THAT(stranger.error().message, HasSubstr("journal of rank 0"));
}

TEST(RecorderTest, ADamagedSharedJournalIsReportedAndKept) {
    SharedRun run(8);
    for (std::int64_t step = 0; step < 50; ++step) run.rank(static_cast<int>(step % 8)).span({.step = step});
    const fs::path journal = run.store.paths().journal(run.runId, 0);
    std::fstream file(journal / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(51 * 64 + 8);
    file.put('x');
    file.close();
    run.finish();
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 25) << "each span came with its rank";
    EXPECT_THAT(orDie(run.reader().runs().detail(run.runId)).row.error, HasSubstr("damaged after record 50"));
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
    SpanReader reader = orDie(SpanReader::open(workspace));
    for (int number = 0; number < 2; ++number) {
        std::int64_t next = 0;
        orDie(reader.each("run-" + std::to_string(number), [&](const SpanRow& row) {
            EXPECT_EQ(row.span.step, 2 * next++ + number);
            return row.span.step == 2 * (next - 1) + number;
        }));
        EXPECT_EQ(next, 30'000);
    }
}

// The disk is full while records come: one report, nothing lost, and it goes on when there is room.
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
        if (!eventually([&] { return !recorder->currentError().empty(); })) return 1;
        if (recorder->currentError().find("lab.db") == std::string::npos) return 2;
        fs::remove(ballast);
        noRoom.reset();
        if (!eventually([&] { return recorder->currentError().empty() && recorder->recordsStored() == 201; })) return 3;
        run.journals.clear();
        orDie(recorder->finish("finished", ""));
        return orDie(run.reader().spans().count(run.runId)) == 200 ? 0 : 4;
    });
    EXPECT_EQ(child.wait(), 0);
}

// A window that asks all the time neither stops the writer nor sees half a transaction.
TEST(RecorderTest, ReadersAndTheWriterDoNotHinderEachOther) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    std::atomic<bool> end{false};
    std::thread window([&] {
        WorkspaceReader reader = run.reader();
        std::int64_t rowid = 0;
        std::int64_t seen = 0;
        while (!end) {
            const MetricAnswer answer =
                orDie(reader.metrics().samples({.runId = run.runId, .name = "train/loss", .afterRowid = rowid}));
            for (const MetricSample& sample : answer.samples) EXPECT_EQ(sample.step, seen++);
            rowid = answer.lastRowid;
            const auto spans = orDie(reader.spans().touching(run.runId, {0, 1'000'000'000}));
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
