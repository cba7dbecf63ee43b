#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "storage/read/metric_reader.h"
#include "storage/read/run_reader.h"
#include "storage/read/span_reader.h"
#include "storage/write/recorder.h"
#include "storage/write/store_impl.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace fs = std::filesystem;

RunRow rowOf(const fs::path& workspace, const std::string& id) {
    return orDie(orDie(RunReader::open(workspace)).detail(id)).row;
}

TEST(UtcText, NamesTheInstantToTheMillisecond) {
    using std::chrono::milliseconds;
    const auto at = [](std::int64_t ms) { return utcText(std::chrono::system_clock::time_point(milliseconds(ms))); };
    EXPECT_EQ(at(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(at(1'795'000'000'999), "2026-11-18T11:06:40.999Z");
    EXPECT_EQ(at(1'795'000'001'001), "2026-11-18T11:06:41.001Z");
}

// Seconds and milliseconds are of one reading: the kernel has clocks that turn to the next second some milliseconds
// apart.
TEST(UtcText, GoesOnOverTheEndOfASecond) {
    using namespace std::chrono;
    const auto next = ceil<seconds>(system_clock::now());
    std::this_thread::sleep_until(next - milliseconds(1));
    std::string before = utcNow();
    while (system_clock::now() < next + milliseconds(8)) {
        const std::string now = utcNow();
        ASSERT_LE(before, now);
        before = now;
    }
}

TEST(StoreTest, OpensAgainAndAgain) {
    const TempDir folder;
    for (int i = 0; i < 3; ++i) {
        const Store store = orDie(Store::open(folder / "a/b"));
        EXPECT_EQ(store.recovered(), 0);
    }
    EXPECT_TRUE(fs::exists(folder / "a" / "b" / "lab.db"));
}

// The workspace may be a project folder (`-w .`) that others may read. The database also holds what a commit lacks.
TEST(StoreTest, WhatItMakesInAFolderThatOthersMayReadIsItsOwnersAlone) {
    const TempDir folder;
    fs::create_directory(folder / "project");
    std::ofstream(folder / "project/notes.txt") << "here before";
    fs::permissions(folder / "project", fs::perms(0755));
    const mode_t before = ::umask(022);
    Store store = orDie(Store::open(folder / "project"));
    orDie(store.addRun(runInfo("run-a")));
    ::umask(before);
    const auto modeOf = [&](const char* name) { return fs::status(folder / "project" / name).permissions(); };
    EXPECT_EQ(modeOf("."), fs::perms(0755)) << "whose folder it is decides that";
    for (const char* file : {"lab.db", "lab.db-wal", "lab.db-shm"}) EXPECT_EQ(modeOf(file), fs::perms(0600)) << file;
    EXPECT_EQ(modeOf("runs"), fs::perms(0700)) << "and all that is in it";
}

TEST(StoreTest, KeepsTheOrderInWhichQueuedRunsStart) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (const char* id : {"a", "b"}) {
        RunInfo info = runInfo(id);
        info.series = "a";
        info.seriesSize = 2;
        orDie(store.addRun(info));
    }
    EXPECT_FALSE(rowOf(folder / "w", "a").queueTurn) << "nobody can be asked yet";
    orDie(store.setQueue({{"a", 2, false}, {"b", 1.5, true}}));
    EXPECT_EQ(rowOf(folder / "w", "a").queueTurn, 2);
    EXPECT_FALSE(rowOf(folder / "w", "a").held);
    EXPECT_EQ(rowOf(folder / "w", "b").queueTurn, 1.5);
    EXPECT_TRUE(rowOf(folder / "w", "b").held);
    orDie(store.abandonRun("b", "stopped", ""));
    EXPECT_FALSE(rowOf(folder / "w", "b").held) << "it does not wait any more";
    EXPECT_FALSE(rowOf(folder / "w", "b").queueTurn);
}

TEST(StoreTest, AFileInThePlaceOfTheWorkspaceIsRefused) {
    const TempDir folder;
    std::ofstream(folder / "file") << "x";
    const auto store = Store::open(folder / "file");
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().message, HasSubstr((folder / "file").string()));
}

TEST(StoreTest, IdsAreUniqueAndReadable) {
    const TempDir folder;
    const Store store = orDie(Store::open(folder / "w"));
    std::set<std::string> ids;
    for (int i = 0; i < 50; ++i) {
        const std::string id = store.newRunId("dasgd");
        EXPECT_THAT(id, MatchesRegex("[0-9]{8}-[0-9]{6}-dasgd-[0-9a-f]{4}"));
        fs::create_directories(store.paths().run(id));
        EXPECT_TRUE(ids.insert(id).second);
    }
}

TEST(StoreTest, IdsThatLeaveTheFolderAreRefused) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (const std::string id : {"", ".", "..", "../../x", "/etc", "a/b", "a b", "x\n", ".hidden"}) {
        EXPECT_FALSE(store.addRun(runInfo(id))) << id;
    }
    EXPECT_FALSE(store.addRun(runInfo(std::string(300, 'x'))));
    EXPECT_TRUE(orDie(orDie(RunReader::open(folder / "w")).list()).empty());
}

TEST(StoreTest, WhatIsAddedIsWhatIsRead) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a", 3)));
    EXPECT_TRUE(fs::is_directory(store.paths().run("run-a")));
    const RunDetail detail = orDie(orDie(RunReader::open(folder / "w")).detail("run-a"));
    const RunInfo info = runInfo("run-a", 3);
    EXPECT_EQ(detail.row.status, "queued");
    EXPECT_EQ(detail.row.experiment, info.experiment);
    EXPECT_EQ(detail.row.algorithm, info.algorithm);
    EXPECT_EQ(detail.row.seed, info.seed);
    EXPECT_EQ(detail.row.workers, 3);
    EXPECT_EQ(detail.row.backend, info.backend);
    EXPECT_EQ(detail.row.config, info.config);
    EXPECT_EQ(detail.row.gitCommit, info.gitCommit);
    EXPECT_THAT(detail.row.startedAt, MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z"));
    EXPECT_FALSE(detail.row.finalLoss || detail.row.bestAccuracy || detail.row.hidden || detail.row.samplesPerS);
    EXPECT_EQ(detail.plannedSteps, info.plannedSteps);
    EXPECT_EQ(detail.stepsPerEpoch, info.stepsPerEpoch);
    EXPECT_EQ(detail.linkEmulated, info.linkEmulated);
    EXPECT_EQ(detail.row.timeSimulated, info.timeSimulated);
    EXPECT_EQ(detail.link, info.link);
    EXPECT_EQ(detail.host, info.host);
    EXPECT_EQ(detail.cpu, info.cpu);
    EXPECT_EQ(detail.hardware, info.hardware);
    EXPECT_EQ(detail.gitDirty, info.gitDirty);
    EXPECT_EQ(detail.gitDirtyDiff, info.gitDirtyDiff);
    EXPECT_EQ(detail.versions, info.versions);
    EXPECT_EQ(detail.clockOrigin, info.clockOrigin);
    ASSERT_NE(detail.row.schema, nullptr);
    EXPECT_EQ(*detail.row.schema, info.schema);
}

TEST(StoreTest, RunsOfOneSchemaShareIt) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a")));
    RunReader reader = orDie(RunReader::open(folder / "w"));
    EXPECT_EQ(orDie(reader.list()).size(), 1U);
    orDie(store.addRun(runInfo("run-b")));
    RunInfo without = runInfo("run-c");
    without.schema.clear();
    orDie(store.addRun(without));
    RunInfo other = runInfo("run-d");
    other.schema = "[]";
    orDie(store.addRun(other));
    const std::vector<RunRow> rows = orDie(reader.list());
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(*rows[0].schema, "[]");
    EXPECT_EQ(rows[1].schema, nullptr);
    ASSERT_NE(rows[2].schema, nullptr);
    EXPECT_EQ(rows[2].schema, rows[3].schema);
    EXPECT_EQ(orDie(reader.detail("run-a")).row.schema, rows[3].schema);
    SQLite::Database database((folder / "w" / "lab.db").string(), SQLite::OPEN_READONLY);
    SQLite::Statement setting(database,
                              "SELECT key, symbol, unit, default_value FROM setting_list WHERE run_id = 'run-b'");
    ASSERT_TRUE(setting.executeStep());
    EXPECT_EQ(setting.getColumn(0).getString(), "algorithm.delay");
    EXPECT_EQ(setting.getColumn(1).getString(), "d");
    EXPECT_EQ(setting.getColumn(2).getString(), "steps");
    EXPECT_EQ(setting.getColumn(3).getString(), "1");
    EXPECT_FALSE(setting.executeStep());
}

TEST(StoreTest, TheSameRunMayBeJoinedAndAnotherMayNot) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    Store other = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a", 2)));
    orDie(other.addRun(runInfo("run-a", 2)));
    RunInfo different = runInfo("run-a", 2);
    different.config = "name = \"other\"\n";
    const Status refused = other.addRun(different);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("run-a"));
    EXPECT_EQ(orDie(orDie(RunReader::open(folder / "w")).list()).size(), 1U);
}

TEST(StoreTest, AnAbandonedRunSaysWhy) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a")));
    orDie(store.abandonRun("run-a", "interrupted", "the sweep was stopped before it"));
    EXPECT_EQ(rowOf(folder / "w", "run-a").status, "interrupted");
    EXPECT_EQ(rowOf(folder / "w", "run-a").error, "the sweep was stopped before it");
    EXPECT_FALSE(store.abandonRun("run-b", "failed", ""));
}

TEST(StoreTest, ALiveOwnersRunsAreLeftAlone) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a")));
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 0);
    EXPECT_EQ(rowOf(folder / "w", "run-a").status, "queued");
    const auto recorder = orDie(Recorder::start(store, "run-a", {0}));
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 0);
    EXPECT_EQ(rowOf(folder / "w", "run-a").status, "running");
}

// Runs an owner in a child that writes what `write` says, and is killed before it collects the last of it.
void leaveBehind(const fs::path& workspace, int workers, const std::function<void(int rank, JournalWriter&)>& write) {
    SharedCounter ready;
    ChildProcess owner([&] {
        Store store = orDie(Store::open(workspace));
        orDie(store.addRun(runInfo("run-a", workers)));
        std::vector<int> ranks;
        for (int rank = 0; rank < workers; ++rank) ranks.push_back(rank);
        const auto recorder = orDie(Recorder::start(store, "run-a", ranks));
        std::vector<std::unique_ptr<JournalWriter>> journals;
        for (int rank = 0; rank < workers; ++rank) {
            journals.push_back(newJournal(store.paths().journal("run-a", rank)));
            write(rank, *journals.back());
        }
        ready.set(1);
        ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return ready.get() == 1; }));
    owner.kill();
}

TEST(StoreTest, WhatADeadOwnerLeftIsTakenIn) {
    const TempDir folder;
    leaveBehind(folder / "w", 2, [](int, JournalWriter& journal) {
        for (std::int64_t step = 1; step <= 1000; ++step) journal.metric({.name = "train/loss", .step = step});
        journal.state(RankState::Running, 1000, "");
    });
    const fs::path checkpoints = folder / "w" / "runs" / "run-a" / "checkpoints";
    for (const char* name : {"step-400", "step-600.partial", "step-200.removed"}) {
        fs::create_directories(checkpoints / name);
        std::ofstream(checkpoints / name / "rank-0000.safetensors") << "state";
    }
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 1);
    EXPECT_TRUE(fs::exists(checkpoints / "step-400"));
    EXPECT_EQ(std::distance(fs::directory_iterator(checkpoints), {}), 1) << "nobody completes the others";
    const RunRow row = rowOf(folder / "w", "run-a");
    EXPECT_EQ(row.status, "interrupted");
    EXPECT_EQ(row.steps, 1000);
    EXPECT_THAT(row.error, HasSubstr("died before its end"));
    EXPECT_EQ(
        orDie(orDie(MetricReader::open(folder / "w")).samples({.runId = "run-a", .name = "train/loss"})).samples.size(),
        2000U);
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 0);
    EXPECT_FALSE(fs::exists(folder / "w" / "runs" / "run-a" / "journal" / "rank-0000"));
}

// The ranks of a virtual cluster live in the process that records them, and die with it.
TEST(StoreTest, WhatADeadOwnerLeftInASharedJournalIsTakenIn) {
    for (const bool allEnded : {true, false}) {
        const TempDir folder;
        SharedCounter ready;
        ChildProcess owner([&] {
            Store store = orDie(Store::open(folder / "w"));
            orDie(store.addRun(runInfo("run-a", 300)));
            const auto journal = newJournal(store.paths().journal("run-a", 0), {.segmentRecords = 128});
            for (int rank = 0; rank < 300; ++rank) {
                journal->of(Rank(rank)).metric({.name = "train/step_ms", .step = 100 + rank});
                if (rank < 299 || allEnded) journal->of(Rank(rank)).state(RankState::Finished, 100 + rank, "");
            }
            ready.set(1);
            ::pause();
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return ready.get() == 1; }));
        owner.kill();
        EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 1);
        EXPECT_EQ(rowOf(folder / "w", "run-a").status, allEnded ? "finished" : "interrupted");
        EXPECT_EQ(rowOf(folder / "w", "run-a").steps, 399);
        const auto answer =
            orDie(orDie(MetricReader::open(folder / "w")).samples({.runId = "run-a", .name = "train/step_ms"}));
        ASSERT_EQ(answer.samples.size(), 300U);
        for (int rank = 0; rank < 300; ++rank) EXPECT_EQ(answer.samples[static_cast<std::size_t>(rank)].rank, rank);
        EXPECT_FALSE(fs::exists(folder / "w" / "runs" / "run-a" / "journal" / "rank-0000"));
    }
}

TEST(StoreTest, WhatTheRanksHadSaidIsBelieved) {
    const struct {
        RankState first, second;
        const char* status;
    } cases[] = {{RankState::Finished, RankState::Finished, "finished"},
                 {RankState::Stopped, RankState::Stopped, "stopped"},
                 {RankState::Finished, RankState::Failed, "failed"},
                 {RankState::Finished, RankState::Running, "interrupted"}};
    for (const auto& each : cases) {
        const TempDir folder;
        leaveBehind(folder / "w", 2, [&](int rank, JournalWriter& journal) {
            journal.state(rank == 0 ? each.first : each.second, 9, "words");
        });
        EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 1);
        EXPECT_EQ(rowOf(folder / "w", "run-a").status, each.status);
    }
}

TEST(StoreTest, ARunWhoseRanksLiveOnIsLeftForTheNextOpening) {
    const TempDir folder;
    {
        ChildProcess owner([&] {
            Store store = orDie(Store::open(folder / "w"));
            orDie(store.addRun(runInfo("run-a")));
            return 0;
        });
        ASSERT_EQ(owner.wait(), 0);
    }
    auto orphan = newJournal(WorkspacePaths{folder / "w"}.journal("run-a", 0));
    orphan->span({.step = 1});
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 0);
    EXPECT_EQ(rowOf(folder / "w", "run-a").status, "queued");
    orphan->span({.step = 2});
    orphan.reset();
    EXPECT_EQ(orDie(Store::open(folder / "w")).recovered(), 1);
    EXPECT_EQ(orDie(orDie(SpanReader::open(folder / "w")).count("run-a")), 2);
}

TEST(StoreTest, OfManyThatOpenAtOnceOneTakesTheRunIn) {
    const TempDir folder;
    leaveBehind(folder / "w", 1, [](int, JournalWriter& journal) {
        for (std::int64_t step = 0; step < 5000; ++step) journal.span({.step = step});
    });
    SharedCounter recovered;
    std::vector<ChildProcess> openers;
    for (int i = 0; i < 6; ++i) {
        openers.emplace_back([&] {
            const Store store = orDie(Store::open(folder / "w"));
            for (int count = 0; count < store.recovered(); ++count) recovered.add();
            return 0;
        });
    }
    for (ChildProcess& opener : openers) EXPECT_EQ(opener.wait(), 0);
    EXPECT_GE(recovered.get(), 1);
    EXPECT_EQ(orDie(orDie(SpanReader::open(folder / "w")).count("run-a")), 5000);
    EXPECT_EQ(rowOf(folder / "w", "run-a").status, "interrupted");
}

}  // namespace
}  // namespace dasgd::storage
