#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "storage/notes/run_notes.h"
#include "storage/write/store.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::int64_t kSpansOfRun = 20'000;

// Adds a run that has ended, with spans, a metric, and a checkpoint of 1,000 bytes.
void addEnded(Store& store, const std::string& id, std::int64_t spans = kSpansOfRun) {
    orDie(store.addRun(runInfo(id)));
    {
        const auto journal = newJournal(store.paths().journal(id, 0));
        for (std::int64_t step = 0; step < spans; ++step)
            journal->span({.step = step, .start = step * 100, .end = step * 100 + 50});
        journal->metric({.name = "train/loss", .step = 1, .value = 0.5});
    }
    const auto recorder = orDie(Recorder::start(store, id, {0}));
    orDie(recorder->finish("finished", ""));
    fs::create_directories(store.paths().checkpoints(id) / "step-1");
    std::ofstream(store.paths().checkpoints(id) / "step-1" / "model.safetensors") << std::string(1000, 'x');
}

fs::path folderBeingDeleted(const Store& store, const std::string& id) {
    return store.paths().root / "runs" / (".deleted-" + id);
}

bool isListed(const fs::path& workspace, const std::string& id) {
    return orDie(RunReader::open(workspace)).detail(id).has_value();
}

std::int64_t countIn(const Store& store, const std::string& what) {
    SQLite::Database database(store.paths().database().string(), SQLite::OPEN_READONLY);
    return database.execAndGet("SELECT count(*) FROM " + what).getInt64();
}

// Every table that says of which run a row is.
std::vector<std::string> tablesOfRuns(const Store& store) {
    SQLite::Database database(store.paths().database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database,
                            "SELECT name FROM sqlite_master WHERE type = 'table' AND EXISTS (SELECT 1 FROM "
                            "pragma_table_info(sqlite_master.name) AS field WHERE field.name = 'run')");
    std::vector<std::string> tables;
    while (query.executeStep()) tables.push_back(query.getColumn(0).getString());
    return tables;
}

TEST(DeletedRun, NothingOfItIsLeftAndNothingElseIsGone) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    addEnded(store, "a");
    addEnded(store, "b");
    orDie(changeNotes(folder / "w", {"a", "b"}, {.starred = true, .addTags = {"good"}}));
    const std::int64_t key = keyOf(store.paths(), "a");
    EXPECT_GT(orDie(store.deleteRun("a")), 1000U) << "the checkpoint and more";
    EXPECT_FALSE(isListed(folder / "w", "a"));
    const std::vector<std::string> tables = tablesOfRuns(store);
    EXPECT_GE(tables.size(), 14U);
    for (const std::string& table : tables)
        EXPECT_EQ(countIn(store, table + " WHERE run = " + std::to_string(key)), 0) << table;
    EXPECT_FALSE(fs::exists(store.paths().run("a")));
    EXPECT_FALSE(fs::exists(folderBeingDeleted(store, "a")));
    NotesReader notes(folder / "w");
    orDie(notes.refresh());
    EXPECT_EQ(notes.notes().size(), 1U);
    EXPECT_TRUE(notes.notes().contains("b"));
    EXPECT_EQ(countIn(store, "span"), kSpansOfRun);
    EXPECT_EQ(orDie(orDie(WorkspaceReader::open(folder / "w")).spans().count("b")), kSpansOfRun);
    EXPECT_TRUE(fs::exists(store.paths().checkpoints("b") / "step-1"));
}

TEST(DeletedRun, OneThatIsNotOverForGoodIsRefused) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    const auto refused = [&](const std::string& id) {
        const auto deleted = store.deleteRun(id);
        return deleted ? "deleted" : deleted.error().message;
    };
    EXPECT_THAT(refused("none"), HasSubstr("there is no run none"));
    EXPECT_FALSE(fs::exists(store.paths().run("none")));
    orDie(store.addRun(runInfo("waits")));
    EXPECT_THAT(refused("waits"), HasSubstr("is queued: stop it first"));
    const auto journal = newJournal(store.paths().journal("waits", 0));
    const auto recorder = orDie(Recorder::start(store, "waits", {0}));
    EXPECT_THAT(refused("waits"), HasSubstr("is running: stop it first"));
    addEnded(store, "first", 10);
    RunInfo later = runInfo("later");
    later.resumedFrom = "first";
    later.resumedStep = 1;
    orDie(store.addRun(later));
    EXPECT_THAT(refused("first"), HasSubstr("run later, which resumes the checkpoint of run first, is under way"));
    orDie(store.abandonRun("later", "stopped", ""));
    EXPECT_EQ(refused("first"), "deleted");
    EXPECT_TRUE(isListed(folder / "w", "later"));
}

TEST(DeletedRun, AProcessOfItThatStillLivesIsWaitedFor) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    addEnded(store, "a", 10);
    const FileLock owner = orDie(FileLock::wait(store.paths().owner("a"), FileLock::Kind::Shared));
    const auto deleted = store.deleteRun("a");
    ASSERT_FALSE(deleted);
    EXPECT_THAT(deleted.error().message, HasSubstr("a process of run a is still there"));
    EXPECT_TRUE(isListed(folder / "w", "a"));
}

TEST(DeletedRun, TheNextOpeningEndsWhatAKillLeft) {
    const TempDir folder;
    {
        Store store = orDie(Store::open(folder / "w"));
        addEnded(store, "a", 10);
        // Killed before its commit: the row is there.
        fs::rename(store.paths().run("a"), folderBeingDeleted(store, "a"));
        // Killed after it.
        fs::create_directories(folderBeingDeleted(store, "gone") / "checkpoints");
        std::ofstream(folderBeingDeleted(store, "gone") / "checkpoints" / "half") << "x";
        // Under way.
        fs::create_directories(folderBeingDeleted(store, "other"));
    }
    const WorkspacePaths paths{folder / "w"};
    const FileLock lock =
        orDie(FileLock::wait(paths.root / "runs" / ".deleted-other" / "owner.lock", FileLock::Kind::Exclusive));
    const Store store = orDie(Store::open(folder / "w"));
    EXPECT_TRUE(fs::exists(paths.checkpoints("a") / "step-1" / "model.safetensors"));
    EXPECT_TRUE(isListed(folder / "w", "a"));
    EXPECT_FALSE(fs::exists(folderBeingDeleted(store, "a")));
    EXPECT_FALSE(fs::exists(folderBeingDeleted(store, "gone")));
    EXPECT_TRUE(fs::exists(folderBeingDeleted(store, "other")));
}

// The child is killed later each time, until it comes to its end.
TEST(DeletedRun, AKillAtAnyMomentLeavesItWholeOrGone) {
    int whole = 0, gone = 0;
    for (auto after = std::chrono::microseconds(0); gone < 3; after += std::chrono::microseconds(1500)) {
        const TempDir folder;
        {
            Store store = orDie(Store::open(folder / "w"));
            addEnded(store, "a", 5000);
        }
        ChildProcess child([&] {
            Store store = orDie(Store::open(folder / "w"));
            return store.deleteRun("a") ? 0 : 1;
        });
        std::this_thread::sleep_for(after);
        child.kill();
        const Store store = orDie(Store::open(folder / "w"));
        EXPECT_FALSE(fs::exists(folderBeingDeleted(store, "a")));
        if (isListed(folder / "w", "a")) {
            ++whole;
            EXPECT_EQ(orDie(orDie(WorkspaceReader::open(folder / "w")).spans().count("a")), 5000);
            EXPECT_EQ(fs::file_size(store.paths().checkpoints("a") / "step-1" / "model.safetensors"), 1000U);
        } else {
            ++gone;
            EXPECT_EQ(countIn(store, "span"), 0);
            EXPECT_FALSE(fs::exists(store.paths().run("a")));
        }
    }
    EXPECT_GT(whole, 0) << "the first kills come before the commit";
}

TEST(DeletedRun, ItsRoomInTheDatabaseIsGivenBackUnlessRunsAreUnderWay) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    addEnded(store, "a", 100'000);
    addEnded(store, "b", 10);
    const std::uintmax_t before = fs::file_size(store.paths().database());
    orDie(store.deleteRun("a"));
    EXPECT_EQ(fs::file_size(store.paths().database()), before) << "free pages";
    orDie(store.addRun(runInfo("live")));
    {
        const auto journal = newJournal(store.paths().journal("live", 0));
        const auto recorder = orDie(Recorder::start(store, "live", {0}));
        EXPECT_FALSE(orDie(store.compact()));
        orDie(recorder->finish("stopped", ""));
    }
    const auto freed = orDie(store.compact());
    ASSERT_TRUE(freed);
    EXPECT_GT(*freed, before / 2);
    EXPECT_LT(fs::file_size(store.paths().database()), before / 4);
    EXPECT_EQ(orDie(orDie(WorkspaceReader::open(folder / "w")).spans().count("b")), 10);
}

// A run that is added after the newest was deleted gets its number.
TEST(DeletedRun, AReaderThatStaysOpenKnowsTheSettingsOfTheNext) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    addEnded(store, "a", 10);
    addEnded(store, "b", 10);
    addEnded(store, "c", 10);
    RunReader reader = orDie(RunReader::open(folder / "w"));
    EXPECT_EQ(orDie(reader.list()).size(), 3U);
    orDie(store.deleteRun("b"));
    orDie(store.deleteRun("c"));
    EXPECT_EQ(orDie(reader.list()).size(), 1U);
    addEnded(store, "d", 10);
    for (const RunRow& row : orDie(reader.list())) EXPECT_TRUE(row.schema) << row.runId;
    orDie(store.deleteRun("d"));
    addEnded(store, "e", 10);
    for (const RunRow& row : orDie(reader.list())) EXPECT_TRUE(row.schema) << row.runId;
}

}  // namespace
}  // namespace dasgd::storage
