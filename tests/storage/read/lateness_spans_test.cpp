#include "storage/read/lateness_spans.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using test::OneRun;
using test::orDie;

constexpr Ns kMs = 1'000'000;

// Two ranks that meet every 10 ms; rank 1 comes `lateNs` later than rank 0.
void average(OneRun& run, int times, Ns lateNs) {
    for (int i = 0; i < times; ++i) {
        for (const int rank : {0, 1}) {
            const Ns start = i * 10 * kMs + rank * lateNs;
            run.rank(rank).span({.lane = Lane::Comm,
                                 .kind = SpanKind::Reduce,
                                 .step = i,
                                 .start = start,
                                 .end = (i * 10 + 9) * kMs,
                                 .bytes = 8,
                                 .collective = static_cast<std::uint64_t>(i + 1)});
        }
    }
}

TEST(LatenessSpansTest, TellsWhoComesLate) {
    OneRun run(2);
    average(run, 40, 2 * kMs);
    run.finish();
    auto reader = run.reader();
    const auto lateness = orDie(readLateness(reader, orDie(reader.runs().row(run.runId))));
    ASSERT_TRUE(lateness);
    EXPECT_EQ(lateness->averages, 40);
    ASSERT_EQ(lateness->ranks.size(), 2U);
    EXPECT_FALSE(lateness->ranks[0].isBeyondNoise());
    EXPECT_TRUE(lateness->ranks[1].isBeyondNoise());
}

// Two time lines may be apart by twice the bound of a clock.
TEST(LatenessSpansTest, WhatTheClocksMayBeOffIsNoise) {
    OneRun run(2);
    average(run, 40, 2 * kMs);
    run.rank(1).metric({.name = "clock/error_s", .value = 2e-3});
    run.finish();
    auto reader = run.reader();
    const auto lateness = orDie(readLateness(reader, orDie(reader.runs().row(run.runId))));
    ASSERT_TRUE(lateness);
    EXPECT_FALSE(lateness->ranks[1].isBeyondNoise());
}

TEST(LatenessSpansTest, ARunWithoutSpansOrAveragesTellsNothing) {
    OneRun run(2);
    auto reader = run.reader();
    const RunRow row = orDie(reader.runs().row(run.runId));
    EXPECT_FALSE(orDie(readLateness(reader, row)));
    run.rank(0).span({.lane = Lane::Compute, .kind = SpanKind::Forward, .step = 1, .start = 0, .end = kMs});
    run.finish();
    EXPECT_FALSE(orDie(readLateness(reader, row)));
}

}  // namespace
}  // namespace dasgd::storage
