#include "storage/migrate.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/database.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::vector<std::string> kOne{"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (42);"};
const std::vector<std::string> kTwo{kOne[0], "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;"};

SQLite::Database newDatabase(const fs::path& file) {
    return {file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

TEST(MigrateTest, EachScriptRunsOnce) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(migrate(database, folder / "lab.db", kOne));
    orDie(migrate(database, folder / "lab.db", kOne));
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM a").getInt(), 1);
    EXPECT_FALSE(fs::exists(folder / "lab.db.backup-v0")) << "nothing was there to lose";
    EXPECT_TRUE(checkSchema(database, folder / "lab.db", kOne));
}

TEST(MigrateTest, AnOlderSchemaIsBackedUpFirst) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(migrate(database, folder / "lab.db", kOne));
    EXPECT_THAT(checkSchema(database, folder / "lab.db", kTwo).error().message, HasSubstr("older schema version 1"));
    orDie(migrate(database, folder / "lab.db", kTwo));
    EXPECT_EQ(database.execAndGet("SELECT y FROM a").getInt(), 7);
    auto backup = newDatabase(folder / "lab.db.backup-v1");
    EXPECT_EQ(backup.execAndGet("PRAGMA user_version").getInt(), 1);
    EXPECT_EQ(backup.execAndGet("SELECT x FROM a").getInt(), 42);
}

TEST(MigrateTest, ANewerSchemaIsRefusedByBothNumbers) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(migrate(database, folder / "lab.db", kTwo));
    const auto bothNumbers = AllOf(HasSubstr("version 2"), HasSubstr("version 1"), HasSubstr("update"));
    EXPECT_THAT(migrate(database, folder / "lab.db", kOne).error().message, bothNumbers);
    EXPECT_THAT(checkSchema(database, folder / "lab.db", kOne).error().message, bothNumbers);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 2);
}

TEST(MigrateTest, AScriptThatFailsLeavesEverythingAsItWas) {
    const TempDir folder;
    auto database = newDatabase(folder / "lab.db");
    orDie(migrate(database, folder / "lab.db", kOne));
    const std::vector<std::string> broken{kOne[0], kTwo[1], "CREATE TABLE a (again INTEGER);"};
    EXPECT_THROW(static_cast<void>(migrate(database, folder / "lab.db", broken)), SQLite::Exception);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 1);
    EXPECT_FALSE(database.tableExists("b"));
    orDie(migrate(database, folder / "lab.db", kTwo));
}

TEST(MigrateTest, SomeoneElsesDatabaseIsNotTouched) {
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

TEST(MigrateTest, ANewerWorkspaceIsRefusedByEveryEntrance) {
    const TempDir folder;
    { const Store store = orDie(Store::open(folder / "w")); }
    newDatabase(folder / "w" / "lab.db").exec("PRAGMA user_version = 99");
    EXPECT_THAT(Store::open(folder / "w").error().message, HasSubstr("schema version 99"));
    EXPECT_THAT(RunReader::open(folder / "w").error().message, HasSubstr("schema version 99"));
}

TEST(MigrateTest, GarbageIsAnErrorThatNamesTheFile) {
    const TempDir folder;
    fs::create_directories(folder / "w");
    std::ofstream(folder / "w" / "lab.db") << std::string(8192, 'x');
    EXPECT_THAT(Store::open(folder / "w").error().message, HasSubstr("lab.db"));
    EXPECT_THAT(RunReader::open(folder / "w").error().message, HasSubstr("lab.db"));
}

TEST(MigrateTest, OfManyThatComeAtOnceOneMigrates) {
    const TempDir folder;
    std::vector<ChildProcess> openers;
    for (int i = 0; i < 8; ++i) {
        openers.emplace_back([&] { return Store::open(folder / "w") ? 0 : 1; });
    }
    for (ChildProcess& opener : openers) EXPECT_EQ(opener.wait(), 0);
    EXPECT_TRUE(RunReader::open(folder / "w"));
}

}  // namespace
}  // namespace dasgd::storage
