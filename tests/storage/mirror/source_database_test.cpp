#include "storage/mirror/source_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(SourceDatabaseTest, AWorkspaceIsTakenWithoutBeingChanged) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 10, 10);
    run.finish();
    const auto names = [&] {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(run.folder / "workspace")) all.insert(entry.path().filename());
        return all;
    };
    const fs::path file = run.folder / "workspace" / "lab.db";
    const auto written = fs::last_write_time(file);
    const auto there = names();
    EXPECT_EQ(mirrorOnce(run.folder / "workspace", run.folder / "here"), 20);
    EXPECT_EQ(mirrorOnce(run.folder / "workspace", run.folder / "here"), 0);
    EXPECT_EQ(fs::last_write_time(file), written);
    EXPECT_EQ(names(), there);
    EXPECT_EQ(orDie(orDie(RunReader::open(run.folder / "here")).row("run-a")).status, "finished");
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

TEST(SourceDatabaseTest, WhatIsNoWorkspaceIsNamed) {
    const TempDir folder;
    const auto message = [&](const fs::path& where) {
        const auto opened = SourceDatabase::open(where);
        return opened ? std::string() : opened.error().message;
    };
    EXPECT_THAT(message(folder / "none"), HasSubstr("no workspace"));
    EXPECT_THAT(message(folder.path()), HasSubstr("no lab.db"));
    folder.write("lab.db", std::string(8192, 'x'));
    EXPECT_THAT(message(folder.path()), HasSubstr("lab.db"));
    { SQLite::Database(folder / "theirs.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)"); }
    EXPECT_THAT(message(folder / "theirs.db"), HasSubstr((folder / "theirs.db").string()));
    EXPECT_THAT(message(folder / "theirs.db"), HasSubstr("not a database of DaSGD Lab"));
    { const Store store = orDie(Store::open(folder / "other")); }
    for (const std::string version : {"99", "5"}) {
        SQLite::Database((folder / "other" / "lab.db").string(), SQLite::OPEN_READWRITE)
            .exec("PRAGMA user_version = " + version);
        EXPECT_THAT(message(folder / "other"), HasSubstr("schema version " + version));
        EXPECT_THAT(message(folder / "other"), HasSubstr((folder / "other" / "lab.db").string()));
    }
}

}  // namespace
}  // namespace dasgd::storage
