#include "storage/read/run_reader.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunReaderTest, WithoutAWorkspaceItSaysSo) {
    const TempDir folder;
    EXPECT_THAT(RunReader::open(folder / "none").error().message, HasSubstr("there is no workspace"));
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(RunReaderTest, RunsComeNewestFirst) {
    OneRun run(1, "run-a");
    orDie(run.store.addRun(runInfo("run-c")));
    orDie(run.store.addRun(runInfo("run-b")));
    const auto rows = orDie(run.reader().runs());
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].runId, "run-b");
    EXPECT_EQ(rows[1].runId, "run-c");
    EXPECT_EQ(rows[2].runId, "run-a");
}

TEST(RunReaderTest, AUniquePrefixIsEnough) {
    OneRun run(1, "20261121-120301-dasgd-4f2a");
    orDie(run.store.addRun(runInfo("20261121-130000-dasgd-0001")));
    RunReader reader = run.reader();
    EXPECT_EQ(orDie(reader.run("20261121-12")).row.runId, run.runId);
    EXPECT_EQ(orDie(reader.run(run.runId)).row.runId, run.runId);
    EXPECT_THAT(reader.run("20261121").error().message, HasSubstr("several runs"));
    EXPECT_THAT(reader.run("2027").error().message, HasSubstr("there is no run"));
    EXPECT_THAT(reader.run("").error().message, HasSubstr("there is no run"));
    EXPECT_THAT(reader.run("20261121-1'; DROP TABLE run; --").error().message, HasSubstr("there is no run"));
}

TEST(RunReaderTest, TheInflationOfARunComesWithThatOfItsRanks) {
    OneRun run(3);
    run.finish();
    EXPECT_EQ(orDie(run.reader().run(run.runId)).inflation.n, 0U);
    const auto change = [&](const char* sql) {
        SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READWRITE);
        database.exec(sql);
    };
    change("UPDATE rank_state SET inflation = CASE rank WHEN 0 THEN 1.1 WHEN 1 THEN 0.9 END");
    EXPECT_EQ(orDie(run.reader().run(run.runId)).inflation.n, 0U) << "two ranks do not tell it";
    change("UPDATE rank_state SET inflation = 1.0 WHERE rank = 2");
    EXPECT_EQ(orDie(run.reader().run(run.runId)).inflation.n, 0U) << "lists do not know it";
    change("UPDATE run SET inflation = 1.0");
    const Sample ranks = orDie(run.reader().run(run.runId)).inflation;
    EXPECT_EQ(ranks.n, 3U);
    EXPECT_DOUBLE_EQ(ranks.mean, 1);
    EXPECT_NEAR(ranks.confidence.value_or(0), 4.3027 * 0.1 / std::sqrt(3), 1e-4) << "t(0.975, 2) = 4.3027";
}

TEST(RunReaderTest, NumbersComeBackAsTheyWere) {
    OneRun run;
    const std::vector<double> values{NAN, INFINITY, -INFINITY, 1e308, 1e-320, -0.0, 0.1, 5e-324};
    for (std::size_t i = 0; i < values.size(); ++i) {
        run.rank(0).metric({.name = "x",
                            .step = static_cast<std::int64_t>(i),
                            .epoch = 0.25,
                            .wall = 1'500'000'000,
                            .samples = std::int64_t{1} << 60,
                            .bytesSent = 3,
                            .value = values[i]});
    }
    run.finish();
    const auto answer = orDie(run.reader().metrics({.runId = run.runId, .name = "x"}));
    ASSERT_EQ(answer.samples.size(), values.size());
    EXPECT_TRUE(std::isnan(answer.samples[0].value));
    for (std::size_t i = 1; i < values.size(); ++i) EXPECT_EQ(answer.samples[i].value, values[i]);
    EXPECT_EQ(answer.samples[1].epoch, 0.25);
    EXPECT_EQ(answer.samples[1].wallS, 1.5);
    EXPECT_EQ(answer.samples[1].samples, std::int64_t{1} << 60);
    EXPECT_EQ(answer.samples[1].bytesSent, 3);
}

TEST(RunReaderTest, AFinalLossThatIsNaNIsNotAbsent) {
    const auto row = [](const std::vector<const char*>& names, double value) {
        OneRun run;
        for (const char* name : names) run.rank(0).metric({.name = name, .step = 1, .value = value});
        run.finish();
        return orDie(run.reader().row(run.runId));
    };
    EXPECT_FALSE(row({"x"}, NAN).lossIsNaN);
    EXPECT_FALSE(row({"train/step_ms"}, 3).lossIsNaN) << "a run without a model has no loss";
    EXPECT_FALSE(row({"train/step_ms"}, 3).finalLoss);
    EXPECT_FALSE(row({"train/loss", "eval/loss"}, 0.5).lossIsNaN);
    for (const char* name : {"train/loss", "eval/loss"}) {
        EXPECT_TRUE(row({name}, NAN).lossIsNaN) << name;
        EXPECT_FALSE(row({name}, NAN).finalLoss) << name;
    }
}

TEST(RunReaderTest, TailingGivesWhatIsNew) {
    OneRun run(2);
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0, 1}));
    RunReader reader = run.reader();
    const auto write = [&](std::int64_t step) {
        const auto before = recorder->recordsStored();
        for (int rank = 0; rank < 2; ++rank) run.rank(rank).metric({.name = "train/loss", .step = step});
        ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == before + 2; }));
    };
    write(1);
    MetricQuery query{.runId = run.runId, .name = "train/loss", .rank = 1};
    const auto first = orDie(reader.metrics(query));
    ASSERT_EQ(first.samples.size(), 1U);
    EXPECT_EQ(first.samples[0].rank, 1);
    query.afterRowid = first.lastRowid;
    EXPECT_TRUE(orDie(reader.metrics(query)).samples.empty());
    EXPECT_EQ(orDie(reader.metrics(query)).lastRowid, first.lastRowid);
    const auto version = orDie(reader.dataVersion());
    EXPECT_EQ(orDie(reader.dataVersion()), version);
    write(2);
    EXPECT_NE(orDie(reader.dataVersion()), version);
    const auto second = orDie(reader.metrics(query));
    ASSERT_EQ(second.samples.size(), 1U);
    EXPECT_EQ(second.samples[0].step, 2);
}

TEST(RunReaderTest, SpansOfAWindow) {
    OneRun run(2);
    for (std::int64_t step = 0; step < 3000; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            run.rank(rank).span({.step = step, .start = step * 100, .end = step * 100 + 50});
        }
    }
    run.rank(1).span({.lane = Lane::Comm,
                      .kind = SpanKind::Reduce,
                      .step = 1,
                      .start = 0,
                      .end = 1'000'000,
                      .bytes = 44,
                      .collective = 9});
    run.finish();
    RunReader reader = run.reader();
    EXPECT_EQ(orDie(reader.spanCount(run.runId)), 6001);
    const auto extent = orDie(reader.spanExtent(run.runId));
    ASSERT_TRUE(extent);
    EXPECT_EQ(extent->start, 0);
    EXPECT_EQ(extent->end, 1'000'000);
    EXPECT_EQ(orDie(reader.newestInstant(run.runId)), 1'000'000);
    const auto window = orDie(reader.spans(run.runId, {150'060, 150'200}));
    ASSERT_EQ(window.size(), 5U) << "two steps of two ranks and the long reduce";
    EXPECT_EQ(window[0].rank, 0);
    EXPECT_EQ(window[0].span.step, 1501);
    EXPECT_EQ(window[1].span.step, 1502);
    EXPECT_EQ(window[2].rank, 1);
    EXPECT_EQ(window[2].span.kind, SpanKind::Reduce);
    EXPECT_EQ(window[2].span.lane, Lane::Comm);
    EXPECT_EQ(window[2].span.bytes, 44);
    EXPECT_EQ(window[2].span.collective, 9U);
    EXPECT_EQ(orDie(reader.spans(run.runId, {0, 1'000'000}, 100)).size(), 100U);
    EXPECT_EQ(orDie(reader.spans(run.runId, {0, 1'000'000})).size(), 6001U);
    EXPECT_TRUE(orDie(reader.spans("other", {0, 1'000'000})).empty());
    EXPECT_TRUE(orDie(reader.spans(run.runId, {-500, -1})).empty());
}

TEST(RunReaderTest, AYoungRunHasNoSpans) {
    OneRun run;
    EXPECT_FALSE(orDie(run.reader().spanExtent(run.runId)));
    EXPECT_EQ(orDie(run.reader().spanCount(run.runId)), 0);
    EXPECT_TRUE(orDie(run.reader().metricNames(run.runId)).empty());
}

TEST(RunReaderTest, StreamsEndWhereTheCallerWants) {
    OneRun run;
    for (std::int64_t step = 0; step < 100; ++step) {
        run.rank(0).span({.step = step});
        run.rank(0).metric({.name = step % 2 ? "odd" : "even", .step = step});
    }
    run.finish();
    RunReader reader = run.reader();
    std::int64_t spans = 0;
    orDie(reader.eachSpan(run.runId, [&](const SpanRow& row) { return row.span.step == spans++ && spans < 10; }));
    EXPECT_EQ(spans, 10);
    EXPECT_THAT(orDie(reader.metricNames(run.runId)), ElementsAre("even", "odd"));
}

TEST(RunReaderTest, TimingsComeWithTheDetail) {
    OneRun run(2);
    for (std::int64_t step = 1; step <= 20; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const Ns start = step * 1'000'000'000;
            run.rank(rank).span({.step = step, .start = start, .end = start + Ns{rank + 1} * 100});
            run.rank(rank).span({.lane = Lane::Comm,
                                 .kind = SpanKind::Reduce,
                                 .step = step,
                                 .start = start + Ns{rank} * 500'000'000,
                                 .end = start + 900'000'000,
                                 .collective = static_cast<std::uint64_t>(step)});
        }
    }
    for (int rank = 0; rank < 2; ++rank) {
        run.rank(rank).span(
            {.lane = Lane::Io, .kind = SpanKind::Window, .step = 20, .end = 30'000'000'000, .bytes = 20});
    }
    run.finish();
    const RunDetail detail = orDie(run.reader().run(run.runId));
    EXPECT_DOUBLE_EQ(detail.row.skewS.value(), 0.25);
    EXPECT_EQ(detail.straggler->rank, 1);
    EXPECT_NEAR(detail.straggler->excess, 200.0 / 150 - 1, 1e-12);
}

// The worst rank bounds the time line; on one host nothing is reported and the clock is exact.
TEST(RunReaderTest, ClockErrorIsTheLargestOfTheRanks) {
    OneRun run(3);
    EXPECT_EQ(orDie(run.reader().run(run.runId)).clockErrorS, 0);
    run.rank(1).metric({.name = "clock/error_s", .value = 2e-5});
    run.rank(2).metric({.name = "clock/error_s", .value = 7e-5});
    run.finish();
    EXPECT_DOUBLE_EQ(orDie(run.reader().run(run.runId)).clockErrorS, 7e-5);
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
