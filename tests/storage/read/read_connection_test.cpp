#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/read/workspace_reader.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

TEST(ReadConnectionTest, WithoutAWorkspaceEveryReaderSaysSo) {
    const TempDir folder;
    for (const Error& error :
         {RunReader::open(folder / "none").error(), SpanReader::open(folder / "none").error(),
          MetricReader::open(folder / "none").error(), WorkspaceReader::open(folder / "none").error()}) {
        EXPECT_THAT(error.message, HasSubstr("there is no workspace"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

// The public contract: names and order of the columns, and the words in them.
TEST(ViewsTest, HaveTheColumnsThatAreDocumented) {
    OneRun run;
    run.rank(0).span({.lane = Lane::Comm, .kind = SpanKind::Reduce, .step = 3, .start = 10, .end = 30, .bytes = 5});
    run.rank(0).metric(
        {.name = "eval/loss", .step = 4, .epoch = 0.5, .wall = 500'000'000, .samples = 6, .bytesSent = 7, .value = 8});
    run.finish();
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    const auto rowOf = [&](const std::string& view) {
        SQLite::Statement query(database, "SELECT * FROM " + view);
        std::string names, values;
        DASGD_CHECK(query.executeStep());
        for (int i = 0; i < query.getColumnCount(); ++i) {
            names += query.getColumnName(i);
            names += ' ';
            values += ' ';
            values += query.getColumn(i).getString();
        }
        return names + "|" + values;
    };
    EXPECT_EQ(rowOf("span_list"), "run_id rank lane kind step start_ns end_ns bytes | run-a 0 comm transfer 3 10 30 5");
    EXPECT_EQ(rowOf("metric_points"),
              "run_id rank name step epoch wall_s samples bytes_sent value | run-a -1 eval/loss 4 0.5 0.5 6 7 8.0");
    EXPECT_THAT(
        rowOf("run_list"),
        HasSubstr("run_id experiment algorithm seed workers backend status started_at wall_s steps samples "
                  "bytes_sent final_loss best_accuracy hidden blocked_s samples_per_s git_commit config error "
                  "step_ms skew_s inflation inflation_ranks timed_steps time_simulated measured_s planned_steps "
                  "series series_place series_size queue_turn held resumed_from resumed_step ended_at in_queue "
                  "origin heard_at origin_program restarted restart_reason | "
                  "run-a delay-sweep dasgd 7 1 gloo finished 20"));
}

// Every word of the enumerations is in the tables that the view decodes by.
TEST(ViewsTest, KnowEveryKindAndLane) {
    OneRun run;
    for (std::size_t kind = 0; kind < kSpanKindNames.size(); ++kind) {
        run.rank(0).span({.lane = static_cast<Lane>(kind % 3),
                          .kind = static_cast<SpanKind>(kind),
                          .step = static_cast<std::int64_t>(kind),
                          .collective = 5,
                          .ranks = 2});
    }
    run.finish();
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT kind, lane FROM span_list WHERE run_id = 'run-a' ORDER BY step");
    for (std::size_t kind = 0; kind < kSpanKindNames.size(); ++kind) {
        ASSERT_TRUE(query.executeStep());
        EXPECT_EQ(query.getColumn(0).getString(), kSpanKindNames[kind]);
        EXPECT_EQ(query.getColumn(1).getString(), kLaneNames[kind % 3]);
    }
    EXPECT_FALSE(query.executeStep());
}

// Reading one run must not cost more where there are others: spans are found by key and by range, never by a scan.
TEST(ViewsTest, SpansAreReachedByRange) {
    OneRun run;
    run.finish();
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement plan(database, "EXPLAIN QUERY PLAN SELECT * FROM span_list WHERE run_id = 'run-a'");
    std::string text;
    while (plan.executeStep()) text += plan.getColumn(3).getString() + "\n";
    EXPECT_THAT(text, HasSubstr("SEARCH span USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"));
    EXPECT_THAT(text, HasSubstr("SEARCH span_chunk USING PRIMARY KEY (run=?)"));
}

}  // namespace
}  // namespace dasgd::storage
