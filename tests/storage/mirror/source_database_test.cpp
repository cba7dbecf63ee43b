#include "storage/mirror/source_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/migrate.h"
#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A workspace as a program of that version left it: a run with one metric and one span.
void makeWorkspace(const fs::path& folder, std::size_t version) {
    fs::create_directories(folder);
    SQLite::Database database((folder / "lab.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<std::string> scripts(migrations().begin(),
                                           migrations().begin() + static_cast<std::ptrdiff_t>(version));
    orDie(migrate(database, folder / "lab.db", scripts));
    database.exec("PRAGMA journal_mode = WAL");
    const bool first = version == 1, second = version == 2;
    database.exec(
        std::string("INSERT INTO run (run_id, experiment, algorithm, seed, workers, ") +
        (first || second ? "" : "trainers, ") +
        "backend, status, started_at, clock_origin, planned_steps, steps_per_epoch, link_emulated, " +
        (first ? "sweep_group, " : "") +
        "link, host, cpu, git_commit, git_dirty, versions, config, git_dirty_diff) VALUES ('old', 'e', 'dasgd', "
        "3, 2, " +
        (first || second ? "" : "2, ") + "'gloo', 'finished', '2025', 5, 100, 10, 0, " + (first ? "'g', " : "") +
        "'', 'h', 'c', 'abc', 0, '{}', 'name = \"e\"', '')");
    database.exec("INSERT INTO metric_name VALUES (1, 'train/loss')");
    database.exec("INSERT INTO metric VALUES (1, 1, 1, 0, 1, 0.1, 5, 32, 0, 0.25)");
    database.exec("INSERT INTO span VALUES (1, 1, 1, 10, 20, 0, 0)");
    database.exec("INSERT INTO span_chunk (run, first_id, last_id, min_start, max_end) VALUES (1, 1, 1, 10, 30)");
}

TEST(SourceDatabaseTest, EveryOlderVersionIsTakenWithoutBeingChanged) {
    for (std::size_t version = 1; version <= migrations().size(); ++version) {
        const TempDir folder;
        makeWorkspace(folder / "old", version);
        const auto read = [&](const char* query) {
            return SQLite::Database((folder / "old" / "lab.db").string(), SQLite::OPEN_READONLY)
                .execAndGet(query)
                .getInt();
        };
        EXPECT_EQ(mirrorOnce(folder / "old", folder / "here"), 2) << version;
        EXPECT_EQ(mirrorOnce(folder / "old", folder / "here"), 0) << version;
        EXPECT_EQ(read("PRAGMA user_version"), static_cast<int>(version));
        const RunContent content = contentOfRun(folder / "here", "old");
        EXPECT_EQ(content.metrics, 1) << version;
        EXPECT_EQ(content.spans, 1) << version;
        EXPECT_EQ(orDie(orDie(RunReader::open(folder / "here")).row("old")).status, "finished");
        for (const auto& entry : fs::directory_iterator(folder / "old")) {
            EXPECT_TRUE(entry.path().filename().string().starts_with("lab.db")) << entry.path();
            EXPECT_FALSE(entry.path().filename().string().starts_with("lab.db.backup")) << entry.path();
        }
    }
}

// A workspace is the same one before and after it was brought up to date.
TEST(SourceDatabaseTest, AnOlderCopyAndTheWorkspaceItselfAreOne) {
    const TempDir folder;
    makeWorkspace(folder / "old", 5);
    EXPECT_EQ(mirrorOnce(folder / "old", folder / "here"), 2);
    { const Store store = orDie(Store::open(folder / "old")); }
    addRecords(folder / "old", "old", 10, 10);
    EXPECT_EQ(mirrorOnce(folder / "old", folder / "here"), 20);
    EXPECT_EQ(contentOfRun(folder / "here", "old").metrics, 11);
}

TEST(SourceDatabaseTest, AFileOnItsOwnIsEnough) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 100, 0);
    run.finish();
    { SQLite::Database((run.folder / "workspace" / "lab.db").string(), SQLite::OPEN_READWRITE); }
    fs::copy_file(run.folder / "workspace" / "lab.db", run.folder / "kept.db");
    EXPECT_EQ(mirrorOnce(run.folder / "kept.db", run.folder / "here"), 100);
}

// Records in the WAL of a copied folder count.
TEST(SourceDatabaseTest, ACopyWithItsWalIsTakenWhole) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 5000, 0);
    ASSERT_GT(fs::file_size(run.folder / "workspace" / "lab.db-wal"), 0U);
    fs::create_directories(run.folder / "copy");
    for (const char* name : {"lab.db", "lab.db-wal"}) {
        fs::copy_file(run.folder / "workspace" / name, run.folder / "copy" / name);
    }
    EXPECT_EQ(mirrorOnce(run.folder / "copy", run.folder / "here"), 5000);
}

TEST(SourceDatabaseTest, WhoServesRefusesAnOlderVersionAndSaysWhatHelps) {
    const TempDir folder;
    makeWorkspace(folder / "old", 5);
    const auto refused = SourceDatabase::open(folder / "old", SourceDatabase::Older::Refused);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("dasgd recover"));
}

TEST(SourceDatabaseTest, WhatIsNoWorkspaceIsNamed) {
    const TempDir folder;
    const auto message = [&](const fs::path& where) {
        const auto opened = SourceDatabase::open(where, SourceDatabase::Older::Copied);
        return opened ? std::string() : opened.error().message;
    };
    EXPECT_THAT(message(folder / "none"), HasSubstr("no workspace"));
    EXPECT_THAT(message(folder.path()), HasSubstr("no lab.db"));
    folder.write("lab.db", std::string(8192, 'x'));
    EXPECT_THAT(message(folder.path()), HasSubstr("lab.db"));
    { SQLite::Database(folder / "theirs.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)"); }
    EXPECT_THAT(message(folder / "theirs.db"), HasSubstr((folder / "theirs.db").string()));
    EXPECT_THAT(message(folder / "theirs.db"), HasSubstr("not a database of DaSGD Lab"));
    { const Store store = orDie(Store::open(folder / "newer")); }
    SQLite::Database((folder / "newer" / "lab.db").string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    EXPECT_THAT(message(folder / "newer"), HasSubstr("schema version 99"));
}

}  // namespace
}  // namespace dasgd::storage
