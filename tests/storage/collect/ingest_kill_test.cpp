// Ingest whose writers and collectors are killed: nothing is lost or doubled.
#include "storage/collect/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "storage/collect/journal_source.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
namespace fs = std::filesystem;

std::string integrity(const WorkspacePaths& paths) {
    SQLite::Database database(paths.database().string(), SQLite::OPEN_READONLY);
    return database.execAndGet("PRAGMA integrity_check").getString();
}

// Records of a rank in one step; each tells its place.
void writeStep(EventSink& journal, std::int64_t step) {
    journal.span({.step = step, .start = step * 10, .end = step * 10 + 9});
    journal.metric(
        {.name = step % 2 ? "train/loss" : "a/rather/long/name/that/takes/more/than/one/record", .step = step});
    if (step % 50 == 0) journal.state(RankState::Running, step, std::string(100, 's'));
}

// The run's records are those of steps 0, 1, 2, … once each, of rank step % `ranks`, and no step that was acknowledged
// is missing.
void expectEveryRecordOnce(const WorkspacePaths& paths, const std::string& id, std::int64_t acknowledged,
                           int ranks = 1) {
    SpanReader reader = orDie(SpanReader::open(paths.root));
    std::int64_t spans = 0;
    orDie(reader.each(id, [&](const SpanRow& row) {
        return row.span.step == spans && row.rank == row.span.step % ranks && ++spans > 0;
    }));
    std::int64_t metrics = 0;
    for (const MetricRow& metric : metricRows(paths, id)) {
        if (metric.step != metrics || metric.rank != metric.step % ranks) break;
        ++metrics;
    }
    EXPECT_GE(spans, acknowledged);
    EXPECT_GE(metrics, acknowledged);
    EXPECT_LE(spans, acknowledged + 1);
    EXPECT_LE(metrics, acknowledged + 1);
    EXPECT_EQ(orDie(reader.count(id)), spans);
}

// The writer outlives its collectors, which are killed again and again, and is killed at last.
TEST(IngestKillTest, ACollectorKilledAgainAndAgainLosesAndDoublesNothing) {
    OneRun run;
    run.journals.clear();
    fs::remove_all(run.store.paths().journal(run.runId, 0));
    const WorkspacePaths paths = run.store.paths();
    const std::int64_t key = keyOf(paths, run.runId);
    SharedCounter acknowledged;
    ChildProcess writer([&] {
        const auto journal = newJournal(paths.journal(run.runId, 0), {.segmentRecords = 512});
        for (std::int64_t step = 0;; ++step) {
            writeStep(*journal, step);
            acknowledged.set(step + 1);
            if (step % 10 == 0) ::usleep(100);
        }
        return 0;
    });
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        SharedCounter transactions;
        ChildProcess collector([&] {
            const auto connection = orDie(WriteConnection::open(paths));
            RunIngest ingest(*connection, key, journalSources(paths, run.runId, {0}));
            for (;;) {
                transactions.set(transactions.get() + (orDie(ingest.collect(100)) > 0 ? 1 : 0));
            }
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return transactions.get() > 0; }));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        collector.kill();
    }
    writer.kill();
    const auto connection = orDie(WriteConnection::open(paths));
    RunIngest ingest(*connection, key, journalSources(paths, run.runId, {0}));
    orDie(ingest.collectAll());
    EXPECT_EQ(ingest.damage(), "");
    expectEveryRecordOnce(paths, run.runId, acknowledged.get());
    EXPECT_EQ(integrity(paths), "ok");
}

// Rank and recorder are killed four times fifty times, in either order, in one workspace.
class KillTest : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Quarters, KillTest, ::testing::Values(1U, 2U, 3U, 4U));

TEST_P(KillTest, EveryAcknowledgedRecordIsThereOnceAfterSigkill) {
    const TempDir folder;
    const WorkspacePaths paths{folder / "w"};
    std::mt19937 random(GetParam());
    const auto pause = [&] { std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000)); };
    for (int round = 0; round < 50; ++round) {
        const std::string id = "run-" + std::to_string(round);
        SharedCounter started;
        SharedCounter acknowledged;
        ChildProcess recorder([&] {
            Store store = orDie(Store::open(paths.root));
            orDie(store.addRun(runInfo(id)));
            const auto recording = orDie(Recorder::start(store, id, {0}));
            started.set(1);
            ::pause();
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return started.get() == 1; }));
        ChildProcess rank([&] {
            const auto journal = newJournal(paths.journal(id, 0), {.segmentRecords = 128});
            for (std::int64_t step = 0;; ++step) {
                writeStep(*journal, step);
                acknowledged.set(step + 1);
                if (step % 20 == 0) ::usleep(200);
            }
            return 0;
        });
        pause();
        const bool rankFirst = random() % 2 == 0;
        (rankFirst ? rank : recorder).kill();
        pause();
        (rankFirst ? recorder : rank).kill();
        const Store store = orDie(Store::open(paths.root));
        EXPECT_EQ(store.recovered(), 1);
        EXPECT_EQ(orDie(orDie(RunReader::open(paths.root)).detail(id)).row.status, "interrupted");
        expectEveryRecordOnce(paths, id, acknowledged.get());
    }
    EXPECT_EQ(integrity(paths), "ok");
}

// A virtual cluster: writer and recorder in one process, 1,000 ranks in one journal, and all of it dies at once.
TEST_P(KillTest, EveryAcknowledgedRecordOfASharedJournalIsThereOnce) {
    constexpr int kRanks = 1000;
    const TempDir folder;
    const WorkspacePaths paths{folder / "w"};
    std::vector<int> all(kRanks);
    std::iota(all.begin(), all.end(), 0);
    std::mt19937 random(GetParam() + 100);
    for (int round = 0; round < 10; ++round) {
        const std::string id = "run-" + std::to_string(round);
        SharedCounter acknowledged;
        ChildProcess cluster([&] {
            Store store = orDie(Store::open(paths.root));
            orDie(store.addRun(runInfo(id, kRanks)));
            const auto recording = orDie(Recorder::start(store, id, all, {0}));
            const auto journal = newJournal(paths.journal(id, 0), {.segmentRecords = 128});
            for (std::int64_t step = 0;; ++step) {
                writeStep(journal->of(Rank(static_cast<int>(step % kRanks))), step);
                acknowledged.set(step + 1);
                if (step % 50 == 0) ::usleep(200);
            }
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return acknowledged.get() > 0; }));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300'000));
        cluster.kill();
        const Store store = orDie(Store::open(paths.root));
        EXPECT_EQ(store.recovered(), 1);
        EXPECT_EQ(orDie(orDie(RunReader::open(paths.root)).detail(id)).row.status, "interrupted");
        expectEveryRecordOnce(paths, id, acknowledged.get(), kRanks);
    }
    EXPECT_EQ(integrity(paths), "ok");
}

}  // namespace
}  // namespace dasgd::storage
