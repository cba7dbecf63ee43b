#include "storage/base/migrate.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

#include "core/analysis/inflation.h"
#include "core/analysis/statistics.h"
#include "storage/base/database.h"
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

// A workspace as the first version wrote it: numbers by its definitions go, everything else stays.
TEST(MigrateTest, AVersionOneWorkspaceIsBroughtUpToDate) {
    const TempDir folder;
    fs::create_directories(folder / "w" / "runs" / "old");
    {
        auto database = newDatabase(folder / "w" / "lab.db");
        orDie(migrate(database, folder / "w" / "lab.db", {migrations().front()}));
        database.exec(
            "INSERT INTO run (id, run_id, experiment, algorithm, seed, workers, backend, status, started_at, "
            "clock_origin, planned_steps, steps_per_epoch, link_emulated, steps, samples, spans, first_span_ns, "
            "last_span_ns, first_wall_ns, first_samples, last_wall_ns, loss, best_accuracy, hidden, blocked_s, "
            "sweep_group, link, host, cpu, git_commit, git_dirty, versions, config, git_dirty_diff) VALUES "
            "(7, 'old', 'e', 'dasgd', 3, 2, 'gloo', 'finished', '2026', 5, 100, 10, 0, 100, 6400, 1, 10, 30, 0, 0, "
            "1000000000, 0.25, 0.9, 0.75, 1.5, 'g', '', 'h', 'c', 'abc', 0, '{}', 'name = \"e\"', '')");
        database.exec(
            "INSERT INTO run (run_id, experiment, algorithm, seed, workers, backend, status, started_at, clock_origin, "
            "planned_steps, steps_per_epoch, link_emulated, sweep_group, link, host, cpu, git_commit, git_dirty, "
            "versions, config, git_dirty_diff) VALUES ('older', 'e', 'dasgd', 3, 2, 'virtual', 'finished', '2025', 5, "
            "100, 10, 0, 'g', '', 'h', 'c', 'abc', 0, '{}', '', '')");
        database.exec(
            "INSERT INTO rank_state (run, rank, sequence, events, step, hidden_s, reduce_s) "
            "VALUES (7, 1, 42, 40, 100, 3, 4)");
        database.exec("INSERT INTO metric_name VALUES (1, 'run/step_ms')");
        database.exec("INSERT INTO metric VALUES (1, 7, 1, -1, 100, 1, 5, 6400, 0, 12.5)");
        database.exec("INSERT INTO span VALUES (1, 69, 4, 10, 20, 8, 2)");
        database.exec("INSERT INTO span_chunk VALUES (7, 1, 1, 10, 30)");
    }
    { const Store store = orDie(Store::open(folder / "w")); }
    EXPECT_TRUE(fs::exists(folder / "w" / "lab.db.backup-v1"));
    RunReader reader = orDie(RunReader::open(folder / "w"));
    const RunRow row = orDie(reader.run("old")).row;
    EXPECT_EQ(row.steps, 100);
    EXPECT_EQ(row.samples, 6400);
    EXPECT_EQ(row.finalLoss, 0.25);
    EXPECT_EQ(row.bestAccuracy, 0.9);
    EXPECT_EQ(row.config, "name = \"e\"");
    EXPECT_FALSE(row.timeSimulated);
    EXPECT_TRUE(orDie(reader.run("older")).row.timeSimulated) << "the virtual cluster's, by its name";
    EXPECT_FALSE(row.hidden || row.blockedS || row.samplesPerS || row.stepMs) << "another definition's numbers";
    EXPECT_EQ(orDie(reader.metrics({.runId = "old", .name = "run/step_ms"})).samples.at(0).value, 12.5);
    const auto spans = orDie(reader.spans("old", {0, 100}));
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].span.kind, SpanKind::Reduce) << "undivided";
    auto database = newDatabase(folder / "w" / "lab.db");
    EXPECT_EQ(database.execAndGet("SELECT sequence FROM rank_state").getInt(), 42) << "records are not read again";
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM rank_state WHERE hidden_s IS NULL").getInt(), 1);
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

// A version two workspace keeps its numbers; how much time they are of was not recorded then.
TEST(MigrateTest, AVersionTwoWorkspaceKeepsItsNumbers) {
    const TempDir folder;
    fs::create_directories(folder / "w" / "runs" / "old");
    {
        auto database = newDatabase(folder / "w" / "lab.db");
        orDie(migrate(database, folder / "w" / "lab.db", {migrations()[0], migrations()[1]}));
        database.exec(
            "INSERT INTO run (run_id, experiment, algorithm, seed, workers, backend, status, started_at, clock_origin, "
            "planned_steps, steps_per_epoch, link_emulated, hidden, blocked_s, step_ms, timed_steps, link, host, cpu, "
            "git_commit, git_dirty, versions, config, git_dirty_diff) VALUES ('old', 'e', 'dasgd', 3, 2, 'gloo', "
            "'finished', '2025', 5, 100, 10, 0, 0.75, 1.5, 20, 90, '', 'h', 'c', 'abc', 0, '{}', 'name = \"e\"', 'd')");
        database.exec("INSERT INTO schema VALUES (4, '[{\"key\":\"algorithm.delay\",\"symbol\":\"d\"}]')");
        database.exec("INSERT INTO run_schema VALUES (1, 4)");
    }
    { const Store store = orDie(Store::open(folder / "w")); }
    const RunRow row = orDie(orDie(RunReader::open(folder / "w")).run("old")).row;
    EXPECT_EQ(row.hidden, 0.75);
    EXPECT_EQ(row.blockedS, 1.5);
    EXPECT_EQ(row.stepMs, 20);
    EXPECT_EQ(row.timedSteps, 90);
    EXPECT_FALSE(row.measuredS);
    EXPECT_TRUE(orDie(orDie(RunReader::open(folder / "w")).run("old")).hardware.empty());
    EXPECT_EQ(row.plannedSteps, 100);
    EXPECT_EQ(row.series, "");
    EXPECT_EQ(row.config, "name = \"e\"");
    auto database = newDatabase(folder / "w" / "lab.db");
    EXPECT_EQ(database.execAndGet("SELECT symbol FROM setting_list WHERE run_id = 'old'").getString(), "d");
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

// Numbers around 1 whose mean has a 95 % interval as wide as `width`.
std::vector<double> ranksWithInterval(std::size_t ranks, double width) {
    const auto n = static_cast<double>(ranks);
    const double scatter = width * std::sqrt(n) / (2 * studentT975(ranks - 1));
    const double pairs = 2 * static_cast<double>(ranks / 2);
    const double away = scatter * std::sqrt((n - 1) / pairs);
    std::vector<double> numbers(ranks, 1);
    for (std::size_t i = 0; i + 1 < ranks; i += 2) {
        numbers[i] += away;
        numbers[i + 1] -= away;
    }
    return numbers;
}

// Version 12 stored the mean inflation of any number of ranks, however far it scattered.
TEST(MigrateTest, InflationThatTheRanksDoNotTellIsNotKnownAfterVersionTwelve) {
    const TempDir folder;
    fs::create_directories(folder / "w");
    std::vector<std::pair<std::string, std::vector<double>>> runs{
        {"two", {0.52, 0.82}}, {"wide", {0.4, 1.1, 0.9, 37.8}}, {"good", {1.07, 1.08, 1.09}}};
    for (const std::size_t ranks : {3U, 4U, 7U, 10U, 11U, 12U, 20U, 31U, 64U, 200U}) {
        runs.emplace_back("narrow-" + std::to_string(ranks), ranksWithInterval(ranks, 0.999));
        runs.emplace_back("wide-" + std::to_string(ranks), ranksWithInterval(ranks, 1.001));
    }
    {
        auto database = newDatabase(folder / "w" / "lab.db");
        orDie(migrate(database, folder / "w" / "lab.db", {migrations().begin(), migrations().begin() + 12}));
        SQLite::Transaction transaction(database);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const std::string key = std::to_string(i + 1);
            database.exec(
                "INSERT INTO run (id, run_id, experiment, algorithm, seed, workers, trainers, backend, status, "
                "started_at, clock_origin, planned_steps, steps_per_epoch, link_emulated, inflation, link, host, cpu, "
                "git_commit, git_dirty, versions, config, git_dirty_diff) VALUES (" +
                key + ", '" + runs[i].first +
                "', 'e', 'dasgd', 3, 4, 4, 'gloo', 'finished', '2025', 5, 100, 10, 0, 1.08, '', "
                "'h', 'c', 'abc', 0, '{}', '', '')");
            for (std::size_t rank = 0; rank < runs[i].second.size(); ++rank) {
                SQLite::Statement row(database, "INSERT INTO rank_state (run, rank, inflation) VALUES (?, ?, ?)");
                row.bind(1, static_cast<std::int64_t>(i + 1));
                row.bind(2, static_cast<std::int64_t>(rank));
                row.bind(3, runs[i].second[rank]);
                row.exec();
            }
        }
        transaction.commit();
    }
    { const Store store = orDie(Store::open(folder / "w")); }
    RunReader reader = orDie(RunReader::open(folder / "w"));
    for (const auto& [id, ranks] : runs) {
        const RunDetail detail = orDie(reader.run(id));
        const bool isKnown = id == "good" || id.starts_with("narrow");
        EXPECT_EQ(detail.row.inflation.has_value(), isKnown) << id;
        EXPECT_EQ(detail.inflation.n, isKnown ? ranks.size() : 0U) << id;
        EXPECT_EQ(inflationOfRanks(ranks).n, isKnown ? ranks.size() : 0U) << id << ": the rule of later runs";
    }
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

// A reader finds all of a workspace or none, while it is made and after its maker was killed.
TEST(MigrateTest, AKilledMakerLeavesAWholeDatabaseOrNone) {
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
TEST(MigrateTest, ALinkWhoseTargetIsNotThereStays) {
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
TEST(MigrateTest, AJournalWithoutItsDatabaseDoesNotHarmTheNext) {
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
