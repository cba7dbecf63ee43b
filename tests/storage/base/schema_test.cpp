#include "storage/base/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <regex>

#include "storage/base/database.h"
#include "tests/support/runs.h"
#include "tests/support/source_tree.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const Schema kOne{1, {"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (42);"}};
const Schema kTwo{2, {kOne.scripts[0], "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;"}};

SQLite::Database newDatabase(const fs::path& file) {
    return {file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

TEST(SchemaTest, EachScriptRunsOnceAndInOrder) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(ensureSchema(database, folder / "lab.db", kTwo));
    orDie(ensureSchema(database, folder / "lab.db", kTwo));
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM a").getInt(), 1);
    EXPECT_EQ(database.execAndGet("SELECT x + y FROM a").getInt(), 49);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 2);
    EXPECT_TRUE(checkSchema(database, folder / "lab.db", kTwo));
}

TEST(SchemaTest, AnotherVersionIsRefusedWithBothNumbersAndWhatToDo) {
    struct Case {
        const Schema &made, &known;
        std::vector<const char*> says;
    };
    for (const Case& one : {Case{kTwo, kOne, {"version 2", "version 1 alone", "update the program"}},
                            Case{kOne, kTwo, {"version 1", "version 2 alone", "the program that wrote it"}}}) {
        const TempDir folder;
        auto database = newDatabase(folder / "lab.db");
        orDie(ensureSchema(database, folder / "lab.db", one.made));
        const std::string refused = ensureSchema(database, folder / "lab.db", one.known).error().message;
        EXPECT_EQ(checkSchema(database, folder / "lab.db", one.known).error().message, refused);
        EXPECT_THAT(refused, AllOf(HasSubstr("lab.db"), HasSubstr("another workspace"), HasSubstr("--workspace")));
        for (const char* part : one.says) EXPECT_THAT(refused, HasSubstr(part));
        EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), one.made.version);
        EXPECT_EQ(database.execAndGet("SELECT x FROM a").getInt(), 42);
    }
}

TEST(SchemaTest, AScriptThatFailsLeavesAnEmptyDatabase) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    const Schema broken{2, {kOne.scripts[0], "CREATE TABLE a (again INTEGER);"}};
    EXPECT_THROW(static_cast<void>(ensureSchema(database, folder / "lab.db", broken)), SQLite::Exception);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 0);
    EXPECT_FALSE(database.tableExists("a"));
    orDie(ensureSchema(database, folder / "lab.db", kOne));
}

// format.md is the contract: each view with its columns, in their order.
TEST(SchemaTest, TheViewsAreThoseOfTheDocument) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(ensureSchema(database, folder / "lab.db"));
    std::map<std::string, std::string> made, told;
    SQLite::Statement views(database, "SELECT name FROM sqlite_master WHERE type = 'view'");
    while (views.executeStep()) {
        const std::string view = views.getColumn(0).getString();
        SQLite::Statement columns(database, "SELECT name FROM pragma_table_info(?) ORDER BY cid");
        columns.bind(1, view);
        for (std::string& list = made[view]; columns.executeStep();) {
            list += (list.empty() ? "" : ", ") + columns.getColumn(0).getString();
        }
    }
    const auto format = std::ranges::find(tree(), "storage/format.md", &File::path);
    ASSERT_NE(format, tree().end());
    const std::regex view(R"(\n`([a-z]+_[a-z]+)\(([a-z_,\s]+)\)`:)");
    for (std::sregex_iterator at(format->text.begin(), format->text.end(), view), end; at != end; ++at) {
        told[(*at)[1]] = std::regex_replace((*at)[2].str(), std::regex("\\s+"), " ");
    }
    EXPECT_EQ(made, told);
    EXPECT_EQ(made.size(), 7U);
}

TEST(SchemaTest, SomeoneElsesDatabaseIsNotTouched) {
    const TempDir folder;
    fs::create_directories(folder / "w");
    {
        auto database = newDatabase(folder / "w" / "lab.db");
        database.exec("CREATE TABLE theirs (x)");
    }
    const auto before = fs::file_size(folder / "w" / "lab.db");
    EXPECT_THAT(Store::open(folder / "w").error().message, HasSubstr("not a database of DaSGD Lab"));
    EXPECT_THAT(RunReader::open(folder / "w").error().message, HasSubstr("not a database of DaSGD Lab"));
    EXPECT_EQ(fs::file_size(folder / "w" / "lab.db"), before);
    EXPECT_FALSE(fs::exists(folder / "w" / "lab.db-wal"));
}

TEST(SchemaTest, AWorkspaceOfAnotherVersionIsRefusedByEveryEntrance) {
    const TempDir folder;
    { const Store store = orDie(Store::open(folder / "w")); }
    for (const std::string version : {"99", "13"}) {
        newDatabase(folder / "w" / "lab.db").exec("PRAGMA user_version = " + version);
        EXPECT_THAT(Store::open(folder / "w").error().message, HasSubstr("schema version " + version));
        EXPECT_THAT(RunReader::open(folder / "w").error().message, HasSubstr("schema version " + version));
    }
}

TEST(SchemaTest, GarbageIsAnErrorThatNamesTheFile) {
    const TempDir folder;
    fs::create_directories(folder / "w");
    std::ofstream(folder / "w" / "lab.db") << std::string(8192, 'x');
    EXPECT_THAT(Store::open(folder / "w").error().message, HasSubstr("lab.db"));
    EXPECT_THAT(RunReader::open(folder / "w").error().message, HasSubstr("lab.db"));
}

TEST(SchemaTest, OfManyThatComeAtOnceOneMakesIt) {
    const TempDir folder;
    std::vector<ChildProcess> openers;
    for (int i = 0; i < 8; ++i) {
        openers.emplace_back([&] { return Store::open(folder / "w") ? 0 : 1; });
    }
    for (ChildProcess& opener : openers) EXPECT_EQ(opener.wait(), 0);
    EXPECT_TRUE(RunReader::open(folder / "w"));
}

// A reader finds all of a workspace or none, while it is made and after its maker was killed.
TEST(SchemaTest, AKilledMakerLeavesAWholeDatabaseOrNone) {
    std::mt19937 random(3);
    double longest = 5'000;  // microseconds until the kill; follows what is seen, however slow the machine
    int made = 0;
    int unmade = 0;
    for (int round = 0; round < 50 || (round < 1'000 && (made == 0 || unmade == 0)); ++round) {
        const TempDir folder;
        ChildProcess maker([&] { return Store::open(folder / "w") ? 0 : 1; });
        const auto moment = static_cast<std::int64_t>(std::uniform_real_distribution<>(0, longest)(random));
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(moment);
        const auto look = [&] {
            const auto reader = RunReader::open(folder / "w");
            if (!reader) {
                EXPECT_THAT(reader.error().message, HasSubstr("there is no workspace"));
            }
            return static_cast<bool>(reader);
        };
        while (std::chrono::steady_clock::now() < until) (void)look();
        maker.kill();
        const bool whole = look();
        (whole ? made : unmade)++;
        longest *= whole ? 0.9 : 1.15;
        EXPECT_TRUE(Store::open(folder / "w")) << "what a killed maker left holds nobody up";
        EXPECT_TRUE(look());
        EXPECT_FALSE(fs::exists(folder / "w" / "lab.db.new"));
    }
    EXPECT_GT(made, 0);
    EXPECT_GT(unmade, 0);
}

// A disk that is not mounted: its workspace is not replaced by a new one.
TEST(SchemaTest, ALinkWhoseTargetIsNotThereStays) {
    const TempDir folder;
    fs::create_directories(folder / "w");
    fs::create_symlink(folder / "unmounted" / "lab.db", folder / "w" / "lab.db");
    EXPECT_FALSE(Store::open(folder / "w"));
    EXPECT_TRUE(fs::is_symlink(folder / "w" / "lab.db"));
    fs::create_directories(folder / "unmounted");
    EXPECT_TRUE(Store::open(folder / "w"));
    EXPECT_TRUE(fs::is_symlink(folder / "w" / "lab.db"));
    EXPECT_TRUE(fs::exists(folder / "unmounted" / "lab.db"));
}

// A journal whose database is gone is for SQLite to judge, not to be put under a new database.
TEST(SchemaTest, AJournalWithoutItsDatabaseDoesNotHarmTheNext) {
    for (const char* left : {"lab.db-journal", "lab.db-wal"}) {
        const TempDir folder;
        fs::create_directories(folder / "w");
        std::ofstream(folder / "w" / left) << std::string(8192, 'x');
        EXPECT_TRUE(Store::open(folder / "w")) << left;
        EXPECT_TRUE(RunReader::open(folder / "w")) << left;
    }
}

}  // namespace
}  // namespace dasgd::storage
