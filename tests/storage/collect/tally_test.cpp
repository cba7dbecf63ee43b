#include "storage/collect/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/database.h"
#include "storage/levels/span_row.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TallyTest : public ::testing::Test {
protected:
    TallyTest()
        : connection_(orDie(WriteConnection::open(run_.store.paths()))), tallies_(connection_->database(), 1, 2) {}

    void write() {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        tallies_.write();
        transaction->commit();
        tallies_.committed();
    }
    [[nodiscard]] RunRow row() const { return orDie(run_.reader().runs().detail(run_.runId)).row; }

    OneRun run_;
    std::unique_ptr<WriteConnection> connection_;
    Tallies tallies_;
};

Metric at(const char* name, std::int64_t step, std::int64_t seconds, std::int64_t samples, double value) {
    return {.name = name, .step = step, .wall = seconds * 1'000'000'000, .samples = samples, .value = value};
}

// Metric after 100 steps of 32 samples on each of two ranks.
Metric timing(const char* name, double value) { return {.name = name, .step = 100, .samples = 6400, .value = value}; }

TEST_F(TallyTest, StepTimesAreEnoughForSteps) {
    tallies_.metric(0, at("train/step_ms", 50, 5, 3200, 100));
    tallies_.metric(1, at("train/step_ms", 150, 17, 9600, 110));
    write();
    EXPECT_EQ(row().steps, 150);
    EXPECT_EQ(row().samples, 6400) << "each rank says what all had trained on had they come as far";
    EXPECT_DOUBLE_EQ(row().wallS, 17);
    EXPECT_FALSE(row().finalLoss) << "milliseconds are no loss";
    EXPECT_TRUE(connection_->database().execAndGet("SELECT loss_max FROM run").isNull());
}

// Ranks that run apart: the run's time per step is none of theirs, and rank 0 is not the run.
TEST_F(TallyTest, ThePaceIsOverAllRanks) {
    connection_->database().exec("UPDATE run SET batch_size = 32");
    for (int rank = 0; rank < 2; ++rank) tallies_.metric(rank, at("train/loss", 1, 1, 64, 2));
    tallies_.metric(0, timing("timing/steps", 100));
    tallies_.metric(0, timing("timing/seconds", 1));
    write();
    EXPECT_FALSE(row().stepMs) << "rank 1 is not timed";
    EXPECT_FALSE(row().samplesPerS);
    tallies_.metric(1, timing("timing/steps", 100));
    tallies_.metric(1, timing("timing/seconds", 2));
    write();
    EXPECT_DOUBLE_EQ(row().stepMs.value(), 1e3 / 75);
    EXPECT_DOUBLE_EQ(row().samplesPerS.value(), 32 * 150);
    EXPECT_DOUBLE_EQ(row().timedSteps.value(), 100);
    const auto ranks = orDie(run_.reader().runs().ranks(run_.runId));
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_DOUBLE_EQ(ranks[0].stepMs.value(), 10);
    EXPECT_DOUBLE_EQ(ranks[1].stepMs.value(), 20);
}

// The first rank tells its throughput before the loss of that step is known.
TEST_F(TallyTest, SamplesAreOfTheStepsThatWereCounted) {
    for (int rank = 0; rank < 2; ++rank) {
        tallies_.metric(rank, at("train/loss", 4, 1, 256, 2));
        tallies_.derived(rank, {.kind = SpanKind::Window, .step = 7, .end = 1'000'000'000, .bytes = 4});
    }
    tallies_.metric(0, at("throughput/samples_per_s", 7, 2, 448, 256));
    write();
    EXPECT_DOUBLE_EQ(row().samplesPerS.value(), 256) << "32 samples of each of two ranks, four times a second";
    EXPECT_EQ(row().steps, 7);
}

TEST_F(TallyTest, TimedStepsAreNotKnownBeforeARankTellsThem) {
    for (int rank = 0; rank < 2; ++rank) tallies_.metric(rank, at("train/loss", 4, 1, 256, 2));
    write();
    EXPECT_FALSE(row().timedSteps);
    tallies_.metric(0, timing("timing/steps", 0));
    write();
    EXPECT_EQ(row().timedSteps, 0);
}

// Windows say what was timed where spans are recorded; the rank's own totals come at its end.
TEST_F(TallyTest, WindowsAddUpToWhatARankWasTimed) {
    connection_->database().exec("UPDATE run SET batch_size = 32");
    constexpr Ns kMs = 1'000'000;
    const auto window = [&](int rank, std::int64_t steps, Ns start, Ns end) {
        tallies_.derived(rank, {.kind = SpanKind::Window, .start = start * kMs, .end = end * kMs, .bytes = steps});
    };
    window(0, 20, 0, 200);
    window(0, 30, 300, 600);
    window(1, 10, 0, 200);
    write();
    EXPECT_DOUBLE_EQ(row().stepMs.value(), 1 / ((0.1 + 0.05) / 2));
    EXPECT_DOUBLE_EQ(row().timedSteps.value(), 30);
    tallies_.metric(0, timing("timing/steps", 50));
    tallies_.metric(0, timing("timing/seconds", 0.5));
    write();
    EXPECT_DOUBLE_EQ(row().timedSteps.value(), 30) << "not twice";
    Tallies next(connection_->database(), 1, 2);
    next.derived(1, {.kind = SpanKind::Window, .start = 200 * kMs, .end = 400 * kMs, .bytes = 10});
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        next.write();
        transaction->commit();
    }
    EXPECT_DOUBLE_EQ(row().timedSteps.value(), 35);
}

TEST_F(TallyTest, OverlapIsPooledByTime) {
    const auto tell = [&](int rank, SpanKind kind, Ns start, Ns end, std::int64_t step = 1, std::uint64_t c = 0) {
        tallies_.derived(rank, {.kind = kind, .step = step, .start = start, .end = end, .collective = c});
    };
    for (int rank = 0; rank < 2; ++rank) {
        const Ns unit = rank == 0 ? 1'000'000 : 3'000'000;
        for (int round = 0; round < 10; ++round) {
            const Ns from = round * 300 * unit;
            const std::int64_t first = 2 * round + 1, second = first + 1;
            const auto collective = static_cast<std::uint64_t>(first);
            tell(rank, SpanKind::Forward, from, from + 50 * unit, first);
            tell(rank, SpanKind::Backward, from + 50 * unit, from + 90 * unit, first);
            tell(rank, SpanKind::Skew, from + 90 * unit, from + 100 * unit, first, collective);
            tell(rank, SpanKind::Forward, from + 100 * unit, from + 160 * unit, second);
            tell(rank, SpanKind::Backward, from + 160 * unit, from + 190 * unit, second);
            // Rank 0 hides 90 of 200 units of transfers, rank 1 180 of 200; rank 1 is never free of transfers.
            if (rank == 1) tell(rank, SpanKind::Transfer, from, from + 100 * unit, first, collective + 1);
            tell(rank, SpanKind::Transfer, from + 100 * unit, from + (rank == 0 ? 300 : 200) * unit, second,
                 collective);
            tell(rank, SpanKind::Wait, from + 200 * unit, from + 300 * unit, second, collective);
            tell(rank, SpanKind::Window, from, from + 300 * unit, second);
        }
    }
    tallies_.formOverlap();
    write();
    const RunRow told = row();
    EXPECT_DOUBLE_EQ(told.hidden.value(), (90.0 + 3 * 180) / (200 + 3 * 200));
    EXPECT_DOUBLE_EQ(told.blockedS.value(), (1.0 + 3.0) / 2);
    EXPECT_DOUBLE_EQ(told.measuredS.value(), (3.0 + 9.0) / 2);
    EXPECT_DOUBLE_EQ(told.skewS.value(), (0.01 + 0.03) / 3) << "of three transfers";
    EXPECT_EQ(told.inflationRanks, 1);
    EXPECT_FALSE(told.inflation) << "one rank does not tell that of the run";
    auto& database = connection_->database();
    EXPECT_EQ(database.execAndGet("SELECT inflation FROM rank_state WHERE rank = 0").getDouble(), 1);
}

// The inflation of a run is the mean of its ranks where three of them tell it and agree well enough.
TEST_F(TallyTest, TheInflationOfTheRunIsKnownWhereItsRanksTellIt) {
    auto& database = connection_->database();
    const auto written = [&](const std::string& values) {
        database.exec("INSERT OR REPLACE INTO rank_state (run, rank, inflation) VALUES " + values);
        tallies_.derived(9, {.kind = SpanKind::Window, .start = 0, .end = 1});
        tallies_.formOverlap();
        write();
        return row();
    };
    EXPECT_FALSE(written("(1, 0, 1.04), (1, 1, 1.05)").inflation);
    EXPECT_EQ(row().inflationRanks, 2);
    EXPECT_DOUBLE_EQ(written("(1, 2, 1.06)").inflation.value(), 1.05);
    EXPECT_EQ(row().inflationRanks, 3);
    EXPECT_FALSE(written("(1, 3, 9.0)").inflation) << "3.04 ± 6.3";
    EXPECT_EQ(row().inflationRanks, 4);
}

// A collector was killed after its last transaction and before the overlap was formed.
TEST_F(TallyTest, WhatACollectorTookWithItIsCountedAsLessTime) {
    const auto tell = [](Tallies& tallies, SpanKind kind, Ns start, Ns end) {
        const Span span{.kind = kind, .step = 1, .start = start, .end = end};
        tallies.reported(0, span);
        tallies.derived(0, span);
    };
    tell(tallies_, SpanKind::Forward, 0, 100);
    tell(tallies_, SpanKind::Transfer, 0, 200);
    tell(tallies_, SpanKind::Window, 0, 200);
    tallies_.formOverlap();
    write();
    tell(tallies_, SpanKind::Transfer, 200, 400);
    tell(tallies_, SpanKind::Forward, 200, 400);
    write();
    Tallies next(connection_->database(), 1, 2);
    tell(next, SpanKind::Forward, 400, 500);
    tell(next, SpanKind::Transfer, 350, 600);
    tell(next, SpanKind::Window, 200, 600);
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        next.formOverlap();
        next.write();
        transaction->commit();
    }
    auto& database = connection_->database();
    // 99 of 199 are hidden from 401 on, and 100 of 200 before the kill.
    EXPECT_NEAR(database.execAndGet("SELECT hidden_s FROM rank_state").getDouble() * 1e9, 199, 1e-6);
    EXPECT_NEAR(database.execAndGet("SELECT transfer_s FROM rank_state").getDouble() * 1e9, 399, 1e-6);
}

TEST_F(TallyTest, OnlyTheNamedRanksAreFormedAnew) {
    auto& database = connection_->database();
    const auto insert = [&](int id, int rank, const Span& span) {
        SQLite::Statement row(database,
                              "INSERT INTO span (id, tag, step, start_ns, duration_ns, bytes, collective) "
                              "VALUES (?, ?, ?, ?, ?, 0, 0)");
        row.bind(1, id);
        row.bind(2, tagOf(rank, span));
        row.bind(3, span.step);
        row.bind(4, span.start);
        row.bind(5, span.end - span.start);
        row.exec();
    };
    for (int rank = 0; rank < 2; ++rank) {
        // Each meter saw one window without waits; the rows hold another one with 30 ns of them.
        tallies_.derived(rank, {.lane = Lane::Io, .kind = SpanKind::Window, .start = 0, .end = 10, .bytes = 1});
        insert(1 + rank, rank, {.kind = SpanKind::Wait, .step = 1, .start = 100, .end = 130});
        insert(3 + rank, rank, {.lane = Lane::Io, .kind = SpanKind::Window, .step = 1, .start = 100, .end = 200});
    }
    database.exec("INSERT INTO span_chunk (run, first_id, last_id, min_start, max_end) VALUES (1, 1, 4, 100, 200)");
    tallies_.recomputeMeters({1});
    tallies_.formOverlap();
    write();
    const auto blocked = [&](int rank) {
        return database.execAndGet("SELECT blocked_s FROM rank_state WHERE rank = " + std::to_string(rank)).getDouble();
    };
    EXPECT_DOUBLE_EQ(blocked(0), 0);
    EXPECT_DOUBLE_EQ(blocked(1), 30e-9);
}

TEST_F(TallyTest, OnlyRanksThatChangedAreWritten) {
    auto& database = connection_->database();
    for (int rank = 0; rank < 1024; ++rank) tallies_.reported(rank, {.end = rank});
    write();
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM rank_state").getInt(), 1024);
    database.exec(
        "CREATE TEMP TABLE written (rank INTEGER);"
        "CREATE TEMP TRIGGER watch AFTER UPDATE ON rank_state BEGIN INSERT INTO written VALUES (NEW.rank); END");
    const auto written = [&] {
        std::vector<int> ranks;
        SQLite::Statement query(database, "DELETE FROM written RETURNING rank");
        while (query.executeStep()) ranks.push_back(query.getColumn(0).getInt());
        return ranks;
    };
    tallies_.reported(700, {.end = 5000});
    tallies_.reported(3, {.end = 1});
    tallies_.state(700, RankState::Running, 1, "");
    write();
    EXPECT_THAT(written(), ElementsAre(700, 3));
    write();
    EXPECT_THAT(written(), IsEmpty());
    EXPECT_EQ(database.execAndGet("SELECT newest_ns FROM rank_state WHERE rank = 700").getInt64(), 5000);
    EXPECT_EQ(database.execAndGet("SELECT newest_ns FROM rank_state WHERE rank = 3").getInt64(), 3);
    EXPECT_EQ(database.execAndGet("SELECT events FROM rank_state WHERE rank = 700").getInt64(), 3);
}

TEST_F(TallyTest, AnotherObjectGoesOnFromTheRows) {
    tallies_.metric(5, at("train/loss", 7, 3, 448, 2));
    tallies_.metric(5, {.name = "timing/steps", .value = 3});
    tallies_.metric(5, {.name = "timing/seconds", .bytesSent = 99, .value = 4});
    tallies_.state(5, RankState::Running, 8, "words");
    write();
    connection_->database().exec("UPDATE rank_state SET sequence = 1234");
    Tallies next(connection_->database(), 1, 2);
    next.reported(5, {.end = 1});
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        next.write();
        transaction->commit();
    }
    SQLite::Statement query(connection_->database(),
                            "SELECT events, step, samples, bytes_sent, newest_ns, train_loss, trained, timed_steps, "
                            "timed_s, state, state_text, sequence FROM rank_state WHERE rank = 5");
    ASSERT_TRUE(query.executeStep());
    std::vector<std::string> values;
    values.reserve(12);
    for (int i = 0; i < query.getColumnCount(); ++i) values.push_back(query.getColumn(i).getString());
    EXPECT_THAT(values, ElementsAre("5", "8", "448", "99", "3000000000", "2.0", "1", "3", "4.0", "1", "words", "1234"));
}

}  // namespace
}  // namespace dasgd::storage
