#include "storage/read/run_reader.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

TEST(RunReaderTest, RunsComeNewestFirst) {
    OneRun run(1, "run-a");
    orDie(run.store.addRun(runInfo("run-c")));
    orDie(run.store.addRun(runInfo("run-b")));
    const auto rows = orDie(run.reader().runs().list());
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].runId, "run-b");
    EXPECT_EQ(rows[1].runId, "run-c");
    EXPECT_EQ(rows[2].runId, "run-a");
}

TEST(RunReaderTest, AUniquePrefixIsEnough) {
    OneRun run(1, "20261121-120301-dasgd-4f2a");
    orDie(run.store.addRun(runInfo("20261121-130000-dasgd-0001")));
    WorkspaceReader reader = run.reader();
    EXPECT_EQ(orDie(reader.runs().detail("20261121-12")).row.runId, run.runId);
    EXPECT_EQ(orDie(reader.runs().detail(run.runId)).row.runId, run.runId);
    EXPECT_THAT(reader.runs().detail("20261121").error().message, HasSubstr("several runs"));
    EXPECT_THAT(reader.runs().detail("2027").error().message, HasSubstr("there is no run"));
    EXPECT_THAT(reader.runs().detail("").error().message, HasSubstr("there is no run"));
    EXPECT_THAT(reader.runs().detail("20261121-1'; DROP TABLE run; --").error().message, HasSubstr("there is no run"));
}

TEST(RunReaderTest, TheInflationOfARunComesWithThatOfItsRanks) {
    OneRun run(3);
    run.finish();
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).inflation.n, 0U);
    const auto change = [&](const char* sql) {
        SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READWRITE);
        database.exec(sql);
    };
    change("UPDATE rank_state SET inflation = CASE rank WHEN 0 THEN 1.1 WHEN 1 THEN 0.9 END");
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).inflation.n, 0U) << "two ranks do not tell it";
    change("UPDATE rank_state SET inflation = 1.0 WHERE rank = 2");
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).inflation.n, 0U) << "lists do not know it";
    change("UPDATE run SET inflation = 1.0");
    const Sample ranks = orDie(run.reader().runs().detail(run.runId)).inflation;
    EXPECT_EQ(ranks.n, 3U);
    EXPECT_DOUBLE_EQ(ranks.mean, 1);
    EXPECT_NEAR(ranks.confidence.value_or(0), 4.3027 * 0.1 / std::sqrt(3), 1e-4) << "t(0.975, 2) = 4.3027";
}

TEST(RunReaderTest, AFinalLossThatIsNaNIsNotAbsent) {
    const auto row = [](const std::vector<const char*>& names, double value) {
        OneRun run;
        for (const char* name : names) run.rank(0).metric({.name = name, .step = 1, .value = value});
        run.finish();
        return orDie(run.reader().runs().row(run.runId));
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
    const RunDetail detail = orDie(run.reader().runs().detail(run.runId));
    EXPECT_DOUBLE_EQ(detail.row.skewS.value(), 0.25);
    EXPECT_EQ(detail.straggler->rank, 1);
    EXPECT_NEAR(detail.straggler->excess, 200.0 / 150 - 1, 1e-12);
}

// The worst rank bounds the time line; on one host nothing is reported and the clock is exact.
TEST(RunReaderTest, ClockErrorIsTheLargestOfTheRanks) {
    OneRun run(3);
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).clockErrorS, 0);
    run.rank(1).metric({.name = "clock/error_s", .value = 2e-5});
    run.rank(2).metric({.name = "clock/error_s", .value = 7e-5});
    run.finish();
    EXPECT_DOUBLE_EQ(orDie(run.reader().runs().detail(run.runId)).clockErrorS, 7e-5);
}

TEST(RunReaderTest, HostsAreKnownWhereEveryRankSaidItsOwn) {
    OneRun run(2);
    run.rank(1).state(RankState::Starting, 0, "node1");
    run.rank(0).state(RankState::Starting, 0, "node0");
    run.finish();
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).rankHosts, (std::vector<std::string>{"node0", "node1"}));
}

TEST(RunReaderTest, ProvenanceCountsTheHostsOfTheRanks) {
    OneRun run(3);
    for (const int rank : {0, 1}) run.rank(rank).state(RankState::Starting, 0, "node0");
    run.finish();
    EXPECT_EQ(orDie(run.reader().runs().provenance(run.runId)).hosts, 0U) << "one rank did not say where it is";
    OneRun two(3, "run-b");
    for (const int rank : {0, 1, 2}) two.rank(rank).state(RankState::Starting, 0, rank == 1 ? "node1" : "node0");
    two.finish();
    const RunProvenance found = orDie(two.reader().runs().provenance("run-b"));
    EXPECT_EQ(found.hosts, 2U);
    EXPECT_EQ(found.host + found.cpu, "labcpu");
    EXPECT_TRUE(found.gitDirty);
    EXPECT_FALSE(two.reader().runs().provenance("another"));
}

}  // namespace
}  // namespace dasgd::storage
