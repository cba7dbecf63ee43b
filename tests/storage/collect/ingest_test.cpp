#include "storage/collect/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <random>

#include "storage/collect/journal_source.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(IngestTest, TheSummaryFollowsTheRecords) {
    OneRun run(2);
    for (int rank = 0; rank < 2; ++rank) {
        for (std::int64_t step = 1; step <= 10; ++step) {
            run.rank(rank).metric({.name = "train/loss",
                                   .step = step,
                                   .wall = step * 1'000'000'000,
                                   .samples = step * 64,
                                   .bytesSent = step * 100,
                                   .value = 1.0 / static_cast<double>(step) + rank});
        }
        run.rank(rank).metric({.name = "timing/steps", .value = 10});
        run.rank(rank).metric({.name = "timing/seconds", .value = rank == 0 ? 4.0 : 6.0});
    }
    run.finish();
    RunRow row = rowOf(run);
    EXPECT_EQ(row.steps, 10);
    EXPECT_EQ(row.samples, 640);
    EXPECT_EQ(row.bytesSent, 2000);
    EXPECT_DOUBLE_EQ(row.wallS, 10.0);
    EXPECT_DOUBLE_EQ(row.finalLoss.value(), 0.6) << "mean over the ranks";
    EXPECT_DOUBLE_EQ(row.stepMs.value(), 480);
    EXPECT_DOUBLE_EQ(row.samplesPerS.value(), 32 * (2.5 + 10 / 6.0));
    EXPECT_FALSE(row.hidden || row.blockedS || row.skewS || row.inflation) << "no window";
    EXPECT_FALSE(row.bestAccuracy);
}

TEST(IngestTest, WhatIsMeasuredBesideTheTrainingStandsWhereTheRankHadGotTo) {
    OneRun run;
    const auto measure = [&] { run.rank(0).metric({.name = "process/cpu_cores", .step = -1, .value = 1}); };
    measure();
    run.rank(0).metric({.name = "train/loss", .step = 7, .epoch = 0.5, .samples = 224, .bytesSent = 900, .value = 1});
    measure();
    run.finish();
    WorkspaceReader reader = run.reader();
    const auto used = orDie(reader.metrics().samples({.runId = run.runId, .name = "process/cpu_cores"})).samples;
    ASSERT_EQ(used.size(), 2U);
    EXPECT_EQ(used[0].step, 0) << "it had recorded nothing";
    EXPECT_EQ(used[1].step, 7);
    EXPECT_EQ(used[1].samples, 224);
    EXPECT_EQ(used[1].bytesSent, 900);
}

TEST(IngestTest, ACollectorThatGoesOnKnowsWhereTheRanksHadGotTo) {
    OneRun run;
    const auto measure = [&] { run.rank(0).metric({.name = "process/cpu_cores", .step = -1, .value = 1}); };
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    const auto collect = [&] {
        const auto& paths = run.store.paths();
        orDie(RunIngest(*connection, keyOf(paths, run.runId), journalSources(paths, run.runId, {0})).collectAll());
    };
    run.rank(0).metric({.name = "train/loss", .step = 25, .epoch = 2, .samples = 800, .bytesSent = 900, .value = 1});
    collect();
    measure();
    collect();
    WorkspaceReader reader = run.reader();
    const auto used = orDie(reader.metrics().samples({.runId = run.runId, .name = "process/cpu_cores"})).samples;
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].step, 25);
    EXPECT_EQ(used[0].epoch, 2);
    EXPECT_EQ(used[0].samples, 800);
    EXPECT_EQ(used[0].bytesSent, 900);
}

TEST(IngestTest, AnEvaluationIsTheFinalLossAndTheBestAccuracyStays) {
    OneRun run;
    run.rank(0).metric({.name = "train/loss", .step = 1, .value = 9});
    run.rank(0).metric({.name = "eval/loss", .step = 1, .value = 2});
    run.rank(0).metric({.name = "eval/accuracy", .step = 1, .value = 0.9});
    run.rank(0).metric({.name = "eval/loss", .step = 2, .value = 3});
    run.rank(0).metric({.name = "eval/accuracy", .step = 2, .value = 0.8});
    run.finish();
    EXPECT_EQ(rowOf(run).finalLoss, 3.0);
    EXPECT_EQ(rowOf(run).bestAccuracy, 0.9);
}

// The test set may be better later, and records may be cut into transactions in any way.
TEST(IngestTest, WhatWasChosenOnTheValidationSetIsTheBestAccuracy) {
    OneRun run;
    const std::vector<double> accuracy{0.5, 0.9, 0.8}, chosen{0.5, 0.5, 0.8};
    for (std::size_t i = 0; i < accuracy.size(); ++i) {
        const auto step = static_cast<std::int64_t>(i);
        run.rank(0).metric({.name = "eval/accuracy", .step = step, .value = accuracy[i]});
        run.rank(0).metric({.name = "eval/chosen_accuracy", .step = step, .value = chosen[i]});
    }
    run.rank(0).metric({.name = "eval/accuracy", .step = 3, .value = 0.99});
    run.finish();
    EXPECT_EQ(rowOf(run).bestAccuracy, 0.8);
}

TEST(IngestTest, ALossThatIsNoNumberIsNoNumberInTheSummaryEither) {
    OneRun run(2);
    run.rank(0).metric({.name = "train/loss", .step = 1, .value = 1});
    run.rank(1).metric({.name = "train/loss", .step = 1, .value = std::nan("")});
    run.finish();
    EXPECT_FALSE(rowOf(run).finalLoss) << "the mean of one rank alone would look healthy";
}

TEST(IngestTest, ARunThatDivergedAfterItsLastEvaluationHasNoFiniteLoss) {
    const auto finalLoss = [](double trainLoss) {
        OneRun run;
        run.rank(0).metric({.name = "eval/loss", .value = 2.3});
        if (trainLoss != 0) run.rank(0).metric({.name = "train/loss", .step = 1, .value = trainLoss});
        run.finish("failed");
        return rowOf(run);
    };
    EXPECT_EQ(finalLoss(0).finalLoss, 2.3) << "nothing trained yet";
    EXPECT_EQ(finalLoss(7).finalLoss, 2.3);
    EXPECT_TRUE(finalLoss(std::nan("")).lossIsNaN);
    EXPECT_FALSE(finalLoss(std::nan("")).finalLoss);
    EXPECT_EQ(finalLoss(HUGE_VAL).finalLoss, HUGE_VAL);
}

TEST(IngestTest, WhatIsSaidOfTheRunBelongsToTheRunWhoeverSaysIt) {
    OneRun run(2);
    for (const char* name : {"eval/loss", "eval/replica_accuracy", "consensus/distance", "throughput/samples_per_s",
                             "run/anything", "train/loss", "weight/0", "evaluation"}) {
        run.rank(0).metric({.name = name});
        run.rank(1).metric({.name = name});
    }
    run.finish();
    WorkspaceReader reader = run.reader();
    const auto ranksOf = [&](const char* name) {
        std::vector<int> ranks;
        for (const MetricSample& each : orDie(reader.metrics().samples({.runId = run.runId, .name = name})).samples) {
            ranks.push_back(each.rank);
        }
        return ranks;
    };
    for (const char* name :
         {"eval/loss", "eval/replica_accuracy", "consensus/distance", "throughput/samples_per_s", "run/anything"}) {
        EXPECT_THAT(ranksOf(name), ElementsAre(-1, -1)) << name;
    }
    for (const char* name : {"train/loss", "weight/0", "evaluation"}) {
        EXPECT_THAT(ranksOf(name), ElementsAre(0, 1)) << name;
    }
}

TEST(IngestTest, SmallTransactionsShareAChunkAndBigOnesAreCut) {
    OneRun run;
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    RunIngest ingest(*connection, keyOf(run.store.paths(), run.runId),
                     journalSources(run.store.paths(), run.runId, {0}));
    for (std::int64_t step = 0; step < 20'000; ++step) {
        run.rank(0).span({.step = step, .start = step * 10, .end = step * 10 + 5});
        if (step < 300) {
            EXPECT_EQ(orDie(ingest.collect(1000)), 1U);
        }
    }
    orDie(ingest.collectAll());
    EXPECT_EQ(ingest.stored(), 20'000);
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM span_chunk").getInt(), 3);
    EXPECT_EQ(database.execAndGet("SELECT sum(last_id - first_id + 1) FROM span_chunk").getInt(), 20'000);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM span_list").getInt(), 20'000);
    EXPECT_EQ(orDie(run.reader().spans().touching(run.runId, {100'000, 100'100})).size(), 11U);
}

TEST(IngestTest, ATransactionThatFailsIsTriedAgainFromWhatIsThere) {
    OneRun run;
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    RunIngest ingest(*connection, keyOf(run.store.paths(), run.runId),
                     journalSources(run.store.paths(), run.runId, {0}));
    run.rank(0).metric({.name = "a", .step = 1});
    orDie(ingest.collectAll());
    connection->database().exec(
        "CREATE TEMP TRIGGER broken BEFORE INSERT ON metric WHEN NEW.step = 4 "
        "BEGIN SELECT raise(ABORT, 'broken'); END");
    for (std::int64_t step = 2; step <= 5; ++step) run.rank(0).metric({.name = "b", .step = step});
    EXPECT_FALSE(ingest.collectAll());
    EXPECT_FALSE(ingest.collectAll());
    EXPECT_EQ(orDie(run.reader().metrics().names(run.runId)), std::vector<std::string>{"a"});
    connection->database().exec("DROP TRIGGER broken");
    orDie(ingest.collectAll());
    const auto answer = orDie(run.reader().metrics().samples({.runId = run.runId, .name = "b"}));
    ASSERT_EQ(answer.samples.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answer.samples[i].step, static_cast<std::int64_t>(i) + 2);
}

// Ranks that had records in the failed transaction, in an earlier one, and in none.
TEST(IngestTest, ATransactionOfManyRanksThatFailsIsTriedAgainFromWhatIsThere) {
    SharedRun run(3);
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    RunIngest ingest(*connection, keyOf(run.store.paths(), run.runId),
                     journalSources(run.store.paths(), run.runId, {0}));
    run.rank(1).metric({.name = "train/loss", .step = 1, .value = 4});
    run.rank(2).metric({.name = "train/loss", .step = 2, .value = 8});
    orDie(ingest.collectAll());
    connection->database().exec(
        "CREATE TEMP TRIGGER broken BEFORE INSERT ON metric WHEN NEW.step = 4 "
        "BEGIN SELECT raise(ABORT, 'broken'); END");
    run.rank(2).metric({.name = "train/loss", .step = 3, .value = 2});
    run.rank(1).metric({.name = "train/loss", .step = 4, .value = 1});
    run.rank(1).metric({.name = "train/loss", .step = 5, .value = 1});
    EXPECT_FALSE(ingest.collectAll());
    EXPECT_FALSE(ingest.collectAll());
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).row.finalLoss, 6.0);
    connection->database().exec("DROP TRIGGER broken");
    orDie(ingest.collectAll());
    EXPECT_EQ(orDie(run.reader().runs().detail(run.runId)).row.finalLoss, 1.5);
    const auto answer = orDie(run.reader().metrics().samples({.runId = run.runId, .name = "train/loss"}));
    std::vector<std::pair<std::int64_t, int>> stepsAndRanks;
    for (const MetricSample& sample : answer.samples) stepsAndRanks.emplace_back(sample.step, sample.rank);
    EXPECT_THAT(stepsAndRanks, ElementsAre(Pair(1, 1), Pair(2, 2), Pair(3, 2), Pair(4, 1), Pair(5, 1)));
    EXPECT_EQ(connection->database().execAndGet("SELECT max(events) FROM rank_state").getInt(), 3);
}

// Records that a sender keeps until they are acknowledged, of ranks step % 3, with numbers that leave gaps: spans, and
// now and then a metric.
struct SentRecords {
    struct Sent {
        std::uint64_t sequence = 0;
        Span span;
        std::string metric;  // a metric of that name instead, where it is not empty
    };
    std::deque<Sent> kept;
    std::uint64_t released = 0;
    bool acknowledgementsArrive = true;

    void send(std::int64_t step) {
        const std::uint64_t last = kept.empty() ? released : kept.back().sequence;
        kept.push_back({.sequence = last + 1 + static_cast<std::uint64_t>(step % 4),
                        .span = {.step = step, .start = step * 10, .end = step * 10 + 9},
                        .metric = step % 5 == 0 ? "train/loss" : ""});
    }
};

// A stream from another host as the collector sees it, without the network.
class MemorySource final : public RecordSource {
public:
    MemorySource(int rank, SentRecords& sent, const WorkspacePaths& paths)
        : RecordSource(rank), sent_(sent), database_(paths.database().string(), SQLite::OPEN_READONLY) {}

    void startAfter(std::uint64_t sequence) override {
        EXPECT_GE(sequence, sent_.released) << "what was released is gone";
        next_ = sequence + 1;
    }
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) override {
        std::size_t taken = 0;
        for (const SentRecords::Sent& sent : sent_.kept) {
            if (sent.sequence < next_) continue;
            if (taken == limit) break;
            next_ = sent.sequence + 1;
            EventRecord record{.sequence = sent.sequence, .rank = static_cast<int>(sent.span.step % 3)};
            if (sent.metric.empty()) {
                record.type = EventRecord::Type::Span;
                record.span = sent.span;
            } else {
                record.type = EventRecord::Type::Metric;
                record.metric = {.name = sent.metric, .step = sent.span.step};
            }
            take(record);
            ++taken;
        }
        return taken;
    }
    void release(std::uint64_t sequence) override {
        SQLite::Statement query(database_, "SELECT sequence FROM rank_state WHERE rank = ?");
        query.bind(1, rank());
        ASSERT_TRUE(query.executeStep());
        EXPECT_GE(query.getColumn(0).getInt64(), static_cast<std::int64_t>(sequence)) << "released before its commit";
        if (!sent_.acknowledgementsArrive) return;
        sent_.released = sequence;
        while (!sent_.kept.empty() && sent_.kept.front().sequence <= sequence) sent_.kept.pop_front();
    }
    [[nodiscard]] std::string damage() const override { return rank() == 0 ? "some records are lost" : ""; }

private:
    SentRecords& sent_;
    SQLite::Database database_;
    std::uint64_t next_ = 1;
};

TEST(IngestTest, RecordsOfAnySourceLandOnceAcrossRestartsAndFailedTransactions) {
    constexpr std::int64_t kSteps = 3000;
    OneRun run(3);
    const WorkspacePaths paths = run.store.paths();
    SentRecords sent;
    std::mt19937 random(11);
    std::int64_t step = 0;
    for (int round = 0; step < kSteps || !sent.kept.empty(); ++round) {
        ASSERT_LT(round, 10'000);
        for (unsigned more = random() % 100; more > 0 && step < kSteps; --more) sent.send(step++);
        const auto connection = orDie(WriteConnection::open(paths));
        RecordSources sources;
        sources.push_back(std::make_unique<MemorySource>(1, sent, paths));
        RunIngest ingest(*connection, keyOf(paths, run.runId), std::move(sources));
        const bool fails = round % 3 == 1;
        if (fails) {
            connection->database().exec(
                "CREATE TEMP TRIGGER broken BEFORE INSERT ON metric BEGIN SELECT raise(ABORT, 'broken'); END");
        }
        // The collector dies, or the line is cut, between the commit and the acknowledgement.
        sent.acknowledgementsArrive = round % 4 != 2;
        for (int part = 0; part < 3; ++part) {
            const auto collected = ingest.collect(1 + random() % 40);
            EXPECT_TRUE(collected || fails);
        }
        if (fails) connection->database().exec("DROP TRIGGER broken");
    }
    WorkspaceReader reader = run.reader();
    std::vector<std::int64_t> steps;
    orDie(reader.spans().each(run.runId, [&](const SpanRow& row) {
        EXPECT_EQ(row.rank, row.span.step % 3);
        steps.push_back(row.span.step);
        return true;
    }));
    for (const MetricRow& metric : metricRows(run.store.paths(), run.runId)) {
        EXPECT_EQ(metric.rank, metric.step % 3);
        steps.push_back(metric.step);
    }
    std::sort(steps.begin(), steps.end());
    std::vector<std::int64_t> all(kSteps);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(steps, all);
}

TEST(IngestTest, EachSourceHasAPositionAndADamageOfItsOwn) {
    OneRun run(3);
    const WorkspacePaths paths = run.store.paths();
    std::array<SentRecords, 2> sent;
    for (std::int64_t step = 0; step < 20; ++step) sent[0].send(step);
    for (std::int64_t step = 20; step < 25; ++step) sent[1].send(step);
    const auto connection = orDie(WriteConnection::open(paths));
    RecordSources sources;
    for (int rank : {0, 1}) {
        sources.push_back(std::make_unique<MemorySource>(rank, sent[static_cast<std::size_t>(rank)], paths));
    }
    RunIngest ingest(*connection, keyOf(paths, run.runId), std::move(sources));
    EXPECT_EQ(orDie(ingest.collect(10)), 10U) << "five of each";
    EXPECT_EQ(orDie(ingest.collect(10)), 5U);
    orDie(ingest.collectAll());
    EXPECT_EQ(ingest.stored(), 25);
    EXPECT_TRUE(sent[0].kept.empty());
    EXPECT_TRUE(sent[1].kept.empty());
    EXPECT_EQ(ingest.damage(), "some records are lost");
}

TEST(IngestTest, AMillionRecordsArriveInOrder) {
    constexpr std::int64_t kRecords = 1'000'000;
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    orDie(store.addRun(runInfo("run-a")));
    const auto recorder = orDie(Recorder::start(store, "run-a", {0}));
    {
        const auto journal = newJournal(store.paths().journal("run-a", 0));
        for (std::int64_t step = 0; step < kRecords; ++step) journal->span({.step = step, .start = step});
    }
    orDie(recorder->finish("finished", ""));
    EXPECT_EQ(recorder->recordsStored(), kRecords);
    SpanReader reader = orDie(SpanReader::open(folder / "w"));
    std::int64_t next = 0;
    orDie(reader.each("run-a", [&](const SpanRow& row) { return row.span.step == next && ++next > 0; }));
    EXPECT_EQ(next, kRecords);
}

}  // namespace
}  // namespace dasgd::storage
