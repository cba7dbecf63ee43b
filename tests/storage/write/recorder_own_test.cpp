// Metrics that a recorder measures itself, beside the records of the ranks.
#include <gtest/gtest.h>

#include "storage/write/recorder.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

TEST(RecorderTest, WhatTheCollectorMeasuresItselfStandsBesideTheRecordsOfTheRanks) {
    OneRun run(2);
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0, 1}));
    recorder->measured(1, {.name = "process/cpu_cores", .step = 7, .wall = 3'000'000'000, .value = 0.75});
    WorkspaceReader reader = run.reader();
    const auto samples = [&](const char* name) {
        return orDie(reader.metrics().samples({.runId = run.runId, .name = name})).samples;
    };
    EXPECT_TRUE(eventually([&] { return samples("process/cpu_cores").size() == 1; })) << "though no rank records";
    EXPECT_EQ(samples("process/cpu_cores").front().rank, 1);
    EXPECT_EQ(samples("process/cpu_cores").front().value, 0.75);
    recorder->measured(0, {.name = "host/cpu_cores", .value = 2});
    orDie(recorder->finish("finished", ""));
    ASSERT_EQ(samples("host/cpu_cores").size(), 1U) << "what came last is stored too";
    EXPECT_EQ(samples("host/cpu_cores").front().rank, 0) << "the host's first rank";
    EXPECT_EQ(rowOf(run).steps, 0) << "it counts for nothing";
    EXPECT_EQ(recorder->recordsStored(), 0);
}

// The first rank of another host has that host's metrics in its journal.
TEST(RecorderTest, WhatHostsUseStaysApart) {
    OneRun run(2);
    run.rank(1).metric({.name = "host/cpu_cores", .wall = 1'000'000'000, .value = 3});
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0, 1}));
    recorder->measured(0, {.name = "host/cpu_cores", .wall = 1'000'000'000, .value = 2});
    orDie(recorder->finish("finished", ""));
    WorkspaceReader reader = run.reader();
    for (const int rank : {0, 1}) {
        const auto own =
            orDie(reader.metrics().samples({.runId = run.runId, .name = "host/cpu_cores", .rank = rank})).samples;
        ASSERT_EQ(own.size(), 1U) << "rank " << rank;
        EXPECT_EQ(own.front().value, 2 + rank);
    }
}

TEST(RecorderTest, WhatTheCollectorMeasuresStandsWhereTheRankHadGotTo) {
    OneRun run(2);
    run.rank(0).metric({.name = "train/loss", .step = 7, .epoch = 0.5, .samples = 224, .bytesSent = 900, .value = 1});
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0, 1}));
    WorkspaceReader reader = run.reader();
    const auto samples = [&](const char* name) {
        return orDie(reader.metrics().samples({.runId = run.runId, .name = name})).samples;
    };
    ASSERT_TRUE(eventually([&] { return samples("train/loss").size() == 1; }));
    recorder->measured(0, {.name = "process/cpu_cores", .step = 7, .wall = 3'000'000'000, .value = 0.75});
    recorder->measured(1, {.name = "process/cpu_cores", .step = 7, .wall = 3'000'000'000, .value = 0.5});
    recorder->measured(0, {.name = "host/cpu_cores", .step = 7, .wall = 3'000'000'000, .value = 2});
    orDie(recorder->finish("finished", ""));
    const auto ranks = samples("process/cpu_cores"), host = samples("host/cpu_cores");
    ASSERT_EQ(ranks.size(), 2U);
    ASSERT_EQ(host.size(), 1U);
    EXPECT_EQ(ranks[0].samples, 224);
    EXPECT_EQ(ranks[0].epoch, 0.5);
    EXPECT_EQ(ranks[0].bytesSent, 900);
    EXPECT_EQ(ranks[1].samples, 0) << "it has recorded nothing yet";
    EXPECT_EQ(host[0].samples, 224);
}

}  // namespace
}  // namespace dasgd::storage
