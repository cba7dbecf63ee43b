// Collectives divided into skew and transfer, from the records of all ranks.
#include "storage/collect/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/collect/journal_source.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;

Span reduceOf(std::uint64_t collective, Ns start, Ns end, std::int64_t ranks = 0) {
    return {.lane = Lane::Comm,
            .kind = SpanKind::Reduce,
            .step = static_cast<std::int64_t>(collective),
            .start = start,
            .end = end,
            .bytes = 8,
            .collective = collective,
            .ranks = ranks};
}

// "rank kind start-end" of each span, by rank and start.
std::vector<std::string> spansOf(const OneRun& run) {
    std::vector<std::string> lines;
    for (const auto& [rank, span] : orDie(run.reader().spans().touching(run.runId, {0, 1'000'000}))) {
        lines.push_back(std::to_string(rank) + " " + std::string(nameOf(span.kind)) + " " + std::to_string(span.start) +
                        "-" + std::to_string(span.end));
    }
    return lines;
}

// Each process of ranks that were started by hand reads its own journal; and one may read all of them.
class DivideTest : public ::testing::TestWithParam<CollectorScope> {
protected:
    explicit DivideTest(int workers = 2) : run_(workers) {
        connection_ = orDie(WriteConnection::open(run_.store.paths()));
        startCollectors();
    }
    void startCollectors() {
        collectors_.clear();
        const auto add = [&](const std::vector<int>& journals) {
            collectors_.push_back(std::make_unique<RunIngest>(*connection_, keyOf(run_.store.paths(), run_.runId),
                                                              journalSources(run_.store.paths(), run_.runId, journals),
                                                              GetParam()));
        };
        if (GetParam() == CollectorScope::AllRanks) return add({0, 1});
        add({0});
        add({1});
    }
    void collect(int rank) {
        orDie(collectors_[GetParam() == CollectorScope::AllRanks ? 0 : static_cast<std::size_t>(rank)]->collectAll());
    }
    [[nodiscard]] std::int64_t arrivals() const {
        SQLite::Database database(run_.store.paths().database().string(), SQLite::OPEN_READONLY);
        return database.execAndGet("SELECT count(*) FROM arrival").getInt64();
    }

    OneRun run_;
    std::unique_ptr<WriteConnection> connection_;
    std::vector<std::unique_ptr<RunIngest>> collectors_;
};

TEST_P(DivideTest, TheLastReportDividesTheCollectiveOfAllRanks) {
    run_.rank(0).span(reduceOf(1, 100, 190));
    collect(0);
    EXPECT_THAT(spansOf(run_), ElementsAre("0 reduce 100-190")) << "nobody knows yet when rank 1 arrived";
    EXPECT_EQ(arrivals(), 1);
    run_.rank(1).span(reduceOf(1, 150, 200));
    collect(1);
    EXPECT_THAT(spansOf(run_), ElementsAre("0 skew 100-150", "0 transfer 150-190", "1 transfer 150-200"));
    EXPECT_EQ(arrivals(), 0);
}

TEST_P(DivideTest, AKilledCollectorLosesNothingAndDividesOnce) {
    for (std::uint64_t c = 1; c <= 20; ++c) {
        const Ns at = static_cast<Ns>(c) * 1000;
        run_.rank(0).span(reduceOf(c, at, at + 300));
        collect(0);
        if (c % 3 == 0) startCollectors();
        run_.rank(1).span(reduceOf(c, at + 100, at + 300));
        if (c % 2 == 0) collect(1);
        if (c % 5 == 0) startCollectors();
    }
    collect(0);
    collect(1);
    const auto lines = spansOf(run_);
    ASSERT_EQ(lines.size(), 60U);
    for (const char* kind : {"0 skew", "0 transfer", "1 transfer"}) {
        EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(kind); }),
                  20)
            << kind;
    }
    EXPECT_EQ(arrivals(), 0);
}

// Rank 1 dies before it reports the second collective.
TEST_P(DivideTest, WhatIsNeverCompleteStaysUndividedAndInNoNumber) {
    for (int rank = 0; rank < 2; ++rank) {
        run_.rank(rank).span({.kind = SpanKind::Forward, .step = 1, .start = 0, .end = 100});
        run_.rank(rank).span(reduceOf(1, rank * 20, 40));
    }
    run_.rank(0).span({.kind = SpanKind::Forward, .step = 2, .start = 100, .end = 200});
    run_.rank(0).span(reduceOf(2, 100, 200));
    run_.rank(0).span({.lane = Lane::Io, .kind = SpanKind::Window, .step = 2, .start = 0, .end = 200, .bytes = 2});
    collect(0);
    collect(1);
    EXPECT_THAT(spansOf(run_), ::testing::Contains("0 reduce 100-200"));
    run_.journals.clear();
    collectors_.clear();
    orDie(orDie(Recorder::start(run_.store, run_.runId, {0, 1}))->finish("failed", ""));
    EXPECT_DOUBLE_EQ(rowOf(run_).hidden.value(), 1);
    SQLite::Database database(run_.store.paths().database().string(), SQLite::OPEN_READONLY);
    EXPECT_DOUBLE_EQ(database.execAndGet("SELECT sum(transfer_s) FROM rank_state").getDouble(), 20e-9);
    EXPECT_EQ(arrivals(), 0) << "the run has ended";
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM rank_meter").getInt(), 0);
}

TEST_P(DivideTest, ATransactionThatFailsDividesNothing) {
    run_.rank(0).span(reduceOf(1, 100, 190));
    collect(0);
    connection_->database().exec(
        "CREATE TEMP TRIGGER broken BEFORE UPDATE ON span BEGIN SELECT raise(ABORT, 'broken'); END");
    run_.rank(1).span(reduceOf(1, 150, 200));
    EXPECT_FALSE(collectors_.back()->collectAll());
    EXPECT_THAT(spansOf(run_), ElementsAre("0 reduce 100-190"));
    connection_->database().exec("DROP TRIGGER broken");
    collect(1);
    EXPECT_THAT(spansOf(run_), ElementsAre("0 skew 100-150", "0 transfer 150-190", "1 transfer 150-200"));
}

TEST_P(DivideTest, OverlapOfARankIsFormedByWhoeverKnowsItsTransfers) {
    for (std::uint64_t c = 1; c <= 10; ++c) {
        const Ns at = static_cast<Ns>(c) * 1000;
        for (int rank = 0; rank < 2; ++rank) {
            const auto step = static_cast<std::int64_t>(c);
            run_.rank(rank).span({.kind = SpanKind::Forward, .step = step, .start = at, .end = at + 500});
            run_.rank(rank).span(reduceOf(c, at + 100 + rank * 200, at + 700));
            run_.rank(rank).span(
                {.lane = Lane::Io, .kind = SpanKind::Window, .step = step, .start = at, .end = at + 1000, .bytes = 1});
            collect(rank);
        }
    }
    collect(0);
    EXPECT_DOUBLE_EQ(rowOf(run_).hidden.value(), 200.0 / 400);
    EXPECT_DOUBLE_EQ(rowOf(run_).skewS.value(), 100e-9) << "200 and 0 of each collective";
}

INSTANTIATE_TEST_SUITE_P(Collectors, DivideTest, ::testing::Values(CollectorScope::AllRanks, CollectorScope::SomeRanks),
                         [](const auto& kind) { return kind.param == CollectorScope::AllRanks ? "One" : "EachRank"; });

TEST(Divide, APointToPointMessageIsATransferAsItIs) {
    OneRun run(2);
    run.rank(0).span(reduceOf(0, 10, 30));
    run.finish();
    EXPECT_THAT(spansOf(run), ElementsAre("0 transfer 10-30"));
}

TEST(Divide, ACollectiveOfAGroupWaitsForItsOwnRanksOnly) {
    OneRun run(4);
    run.rank(1).span(reduceOf(7, 10, 30, 2));
    run.rank(3).span(reduceOf(7, 20, 30, 2));
    run.finish();
    EXPECT_THAT(spansOf(run), ElementsAre("1 skew 10-20", "1 transfer 20-30", "3 transfer 20-30"));
}

TEST(Divide, ARunThatKeepsNoSpansHasTheSameNumbers) {
    std::vector<RunRow> rows;
    for (const bool keeps : {true, false}) {
        OneRun run(2);
        SQLite::Database(run.store.paths().database().string(), SQLite::OPEN_READWRITE)
            .exec("UPDATE run SET keep_spans = " + std::to_string(static_cast<int>(keeps)));
        for (int rank = 0; rank < 2; ++rank) {
            run.rank(rank).span({.kind = SpanKind::Forward, .step = 1, .start = 0, .end = 60});
            run.rank(rank).span(reduceOf(1, rank * 20, 100));
            run.rank(rank).span(
                {.lane = Lane::Io, .kind = SpanKind::Window, .step = 1, .start = 0, .end = 100, .bytes = 1});
        }
        run.finish();
        EXPECT_EQ(spansOf(run).size(), keeps ? 7U : 0U);
        EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), keeps ? 7 : 0);
        rows.push_back(rowOf(run));
    }
    EXPECT_DOUBLE_EQ(rows[0].hidden.value(), 0.5);
    EXPECT_EQ(rows[0].hidden, rows[1].hidden);
    EXPECT_EQ(rows[0].skewS, rows[1].skewS);
}

}  // namespace
}  // namespace dasgd::storage
