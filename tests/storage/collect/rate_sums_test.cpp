// Throughput of ranks that run apart: two of three ranks are fast.
#include "storage/collect/rate_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/collect/ingest.h"
#include "storage/collect/journal_source.h"
#include "storage/read/metric_reader.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Metric rate(std::int64_t step, Ns wall, double value) {
    return {.name = "timing/samples_per_s", .step = step, .wall = wall, .samples = 96 * step, .value = value};
}

std::vector<std::pair<std::int64_t, double>> throughput(const OneRun& run) {
    std::vector<std::pair<std::int64_t, double>> points;
    for (const MetricSample& each :
         orDie(run.reader().metrics().samples({.runId = run.runId, .name = "throughput/samples_per_s"})).samples) {
        EXPECT_EQ(each.rank, -1);
        points.emplace_back(each.step, each.value);
    }
    return points;
}

TEST(RateSums, AreKnownOnceTheLastRankHasComeToTheStep) {
    OneRun run(3);
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    RateSums sums(connection->database(), 1, 3);
    sums.catchUp();
    for (const std::int64_t step : {10, 20}) {
        EXPECT_FALSE(sums.add(rate(step, step, 100)));
        EXPECT_FALSE(sums.add(rate(step, step, 100)));
    }
    const auto first = sums.add(rate(10, 40, 25));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->name, "throughput/samples_per_s");
    EXPECT_EQ(first->step, 10);
    EXPECT_EQ(first->wall, 40) << "the last rank's";
    EXPECT_DOUBLE_EQ(first->value, 225);
    EXPECT_DOUBLE_EQ(sums.add(rate(20, 80, 50))->value, 250);
}

// The collector is killed between ranks, and between steps.
TEST(RateSums, GoOnWithWhatAnotherCollectorLeft) {
    OneRun run(3);
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    const auto key = keyOf(run.store.paths(), run.runId);
    const auto collect = [&] {
        RunIngest ingest(*connection, key, journalSources(run.store.paths(), run.runId, {0, 1, 2}));
        orDie(ingest.collectAll());
    };
    for (const std::int64_t step : {10, 20, 30}) run.rank(0).metric(rate(step, step, 100));
    collect();
    EXPECT_THAT(throughput(run), IsEmpty());
    for (const std::int64_t step : {10, 20, 30}) run.rank(1).metric(rate(step, step, 200));
    run.rank(2).metric(rate(10, 40, 25));
    collect();
    EXPECT_THAT(throughput(run), ElementsAre(Pair(10, 325)));
    run.rank(2).metric(rate(20, 80, 50));
    run.rank(2).metric(rate(30, 120, 75));
    collect();
    EXPECT_THAT(throughput(run), ElementsAre(Pair(10, 325), Pair(20, 350), Pair(30, 375)));
}

// Under torchrun each rank is collected by a process of its own.
TEST(RateSums, AreFormedByWhicheverCollectorStoresTheLastRate) {
    OneRun run(3);
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    const auto key = keyOf(run.store.paths(), run.runId);
    std::vector<std::unique_ptr<RunIngest>> collectors;
    for (int rank = 0; rank < 3; ++rank) {
        collectors.push_back(std::make_unique<RunIngest>(
            *connection, key, journalSources(run.store.paths(), run.runId, {rank}), CollectorScope::SomeRanks));
    }
    std::vector<std::pair<std::int64_t, double>> expected;
    for (std::int64_t step = 10; step <= 100; step += 10) {
        for (int rank = 0; rank < 3; ++rank) run.rank(rank).metric(rate(step, step, 100 * (rank + 1)));
        // The collectors take turns in another order each time.
        for (int turn = 0; turn < 3; ++turn) {
            orDie(collectors[static_cast<std::size_t>((turn + step / 10) % 3)]->collect(1000));
        }
        expected.emplace_back(step, 600);
        EXPECT_EQ(throughput(run), expected);
    }
}

// Ranks that serve make no steps and have no rate.
TEST(RateSums, AreOverTheRanksThatTrain) {
    TempDir folder;
    auto store = orDie(Store::open(folder / "w"));
    RunInfo info = runInfo("r", 3);
    info.trainers = 2;
    orDie(store.addRun(info));
    const auto connection = orDie(WriteConnection::open(store.paths()));
    {
        auto first = newJournal(store.paths().journal("r", 1)), second = newJournal(store.paths().journal("r", 2));
        first->metric(rate(10, 10, 100));
        second->metric(rate(10, 20, 50));
    }
    RunIngest ingest(*connection, keyOf(store.paths(), "r"), journalSources(store.paths(), "r", {0, 1, 2}));
    orDie(ingest.collectAll());
    const auto points = orDie(
        orDie(MetricReader::open(store.paths().root)).samples({.runId = "r", .name = "throughput/samples_per_s"}));
    ASSERT_EQ(points.samples.size(), 1U);
    EXPECT_DOUBLE_EQ(points.samples[0].value, 150);
}

}  // namespace
}  // namespace dasgd::storage
