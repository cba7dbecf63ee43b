#include "gui/timeline/model/span_measure.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/runs.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using namespace dasgd::test;

Measure measureOf(storage::SpanReader& reader, const std::string& run, TimeRange range) {
    SpanMeasure measure(run, range);
    while (!measure.read(reader, std::chrono::milliseconds(-1)).value()) {
    }
    return measure.result();
}

TEST(SpanMeasure, IsTheMeanOverTheRanks) {
    OneRun run(2);
    const auto put = [&](int rank, Lane lane, SpanKind kind, Ns start, Ns end) {
        run.rank(rank).span({.lane = lane, .kind = kind, .start = start * kMs, .end = end * kMs});
    };
    put(0, Lane::Compute, SpanKind::Forward, 0, 80);
    put(0, Lane::Comm, SpanKind::Transfer, 40, 100);
    put(0, Lane::Comm, SpanKind::Skew, 20, 40);
    put(1, Lane::Compute, SpanKind::Forward, 0, 40);
    put(1, Lane::Compute, SpanKind::Wait, 40, 60);
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    const Measure measure = measureOf(reader.spans(), run.runId, {0, 100 * kMs});
    EXPECT_EQ(measure.ranks, 2);
    EXPECT_EQ(measure.mean.compute, 60 * kMs);
    EXPECT_EQ(measure.mean.transfer, 30 * kMs);
    EXPECT_EQ(measure.mean.skew, 10 * kMs);
    EXPECT_EQ(measure.mean.hidden, 20 * kMs);
    EXPECT_EQ(measure.mean.blocked, 10 * kMs);
    EXPECT_EQ(measure.mean.idle, 30 * kMs);
    EXPECT_EQ(measure.byKind[static_cast<std::size_t>(SpanKind::Wait)], 10 * kMs);
    EXPECT_EQ(measure.mostByKind[static_cast<std::size_t>(SpanKind::Forward)], 80 * kMs);
    EXPECT_EQ(measure.mostRank[static_cast<std::size_t>(SpanKind::Wait)], 1);
    EXPECT_EQ(measureOf(reader.spans(), run.runId, {300 * kMs, 400 * kMs}).mean.idle, 100 * kMs);
    const Measure wider = measureOf(reader.spans(), run.runId, {-50 * kMs, 400 * kMs});
    EXPECT_EQ(wider.mean.idle, measure.mean.idle) << "before and after the run nobody was idle";
    EXPECT_EQ(wider.idle, measure.idle);
    EXPECT_EQ(wider.counted.start, 0);
    EXPECT_EQ(wider.counted.end, 100 * kMs);
    EXPECT_EQ(wider.range.end, 400 * kMs) << "as it was asked for";
}

// Read in many slices, at any ends: what one look at all of it gives; and the compute lane adds up to its length.
TEST(SpanMeasure, SlicesAddUpToTheWhole) {
    OneRun run(3);
    std::mt19937_64 random(5);
    std::vector<std::vector<Span>> own(3);
    Ns end = 0;
    for (int rank = 0; rank < 3; ++rank) {
        // The last rank starts late.
        Ns now = rank == 2 ? 4'000 * kMs : 0;
        for (int i = 0; i < 40'000; ++i) {
            const Ns length = static_cast<Ns>(random() % 300'000);
            const SpanKind kind = i % 5 == 4 ? SpanKind::Wait : static_cast<SpanKind>(i % 5);
            own[static_cast<std::size_t>(rank)].push_back({.kind = kind, .start = now, .end = now + length});
            if (i % 3 == 0) {
                own[static_cast<std::size_t>(rank)].push_back({.lane = Lane::Comm,
                                                               .kind = SpanKind::Transfer,
                                                               .start = now + length / 2,
                                                               .end = now + length * 2});
            }
            now += length + static_cast<Ns>(random() % 50'000);
        }
        for (const Span& span : own[static_cast<std::size_t>(rank)]) run.rank(rank).span(span);
        end = std::max(end, now);
    }
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    for (int i = 0; i < 10; ++i) {
        const Ns start = static_cast<Ns>(random() % static_cast<std::uint64_t>(end / 2));
        const TimeRange range{start, start + end / 2 + static_cast<Ns>(random() % 1000)};
        const Measure measure = measureOf(reader.spans(), run.runId, range);
        OverlapSummary sum;
        for (const auto& spans : own) {
            const OverlapSummary one = summariseOverlap(spans, range);
            sum.hidden += one.hidden;
            sum.compute += one.compute;
            sum.idle += one.idle;
        }
        ASSERT_EQ(measure.ranks, 3);
        EXPECT_EQ(measure.mean.hidden, sum.hidden / 3);
        EXPECT_EQ(measure.mean.compute, sum.compute / 3);
        EXPECT_EQ(measure.mean.idle, sum.idle / 3);
        Ns lane = measure.mean.idle;
        for (const SpanKind kind :
             {SpanKind::Data, SpanKind::Forward, SpanKind::Backward, SpanKind::Update, SpanKind::Wait}) {
            lane += measure.byKind[static_cast<std::size_t>(kind)];
        }
        EXPECT_NEAR(static_cast<double>(lane), static_cast<double>(range.end - range.start), 6) << "whole nanoseconds";
    }
}

// Two ranks of which each waits for the average: 100 ms of passes, 40 ms of transfer, ten times over.
struct AveragingRun {
    OneRun run{2};
    std::vector<RankSpan> all;

    AveragingRun() {
        for (int step = 0; step < 10; ++step) {
            const Ns from = step * 140 * kMs;
            for (int rank = 0; rank < 2; ++rank) {
                const auto put = [&](Lane lane, SpanKind kind, Ns start, Ns end, std::uint64_t collective) {
                    const Span span{.lane = lane,
                                    .kind = kind,
                                    .step = step + 1,
                                    .start = from + start * kMs,
                                    .end = from + end * kMs,
                                    .collective = collective};
                    run.rank(rank).span(span);
                    all.push_back({rank, span});
                };
                const auto number = static_cast<std::uint64_t>(step + 1);
                put(Lane::Compute, SpanKind::Forward, 0, 100, 0);
                put(Lane::Comm, SpanKind::Transfer, 100, 140, number);
                put(Lane::Compute, SpanKind::Wait, 100, 140, number);
            }
        }
        run.finish();
    }
};

TEST(SpanMeasure, TheCriticalPathOfARunIsThatOfTheCommandLine) {
    AveragingRun averaging;
    storage::WorkspaceReader reader = averaging.run.reader();
    const Measure measure = measureOf(reader.spans(), averaging.run.runId, {-5, 5'000 * kMs});
    const std::optional<CriticalPath> whole = criticalPathOf(averaging.all);
    ASSERT_TRUE(whole && measure.path);
    EXPECT_EQ(measure.path->length(), whole->length());
    EXPECT_EQ(measure.path->transfer, whole->transfer);
    EXPECT_EQ(measure.path->withoutTransfers, whole->withoutTransfers);
    EXPECT_NEAR(measure.path->saved(), 400.0 / 1400, 1e-9);
}

TEST(SpanMeasure, TheCriticalPathOfARangeCountsWhatLiesWithin) {
    AveragingRun averaging;
    storage::WorkspaceReader reader = averaging.run.reader();
    // From the middle of a pass over one average to the middle of the next pass.
    const Measure measure = measureOf(reader.spans(), averaging.run.runId, {50 * kMs, 190 * kMs});
    ASSERT_TRUE(measure.path);
    EXPECT_EQ(measure.path->length(), 140 * kMs);
    EXPECT_EQ(measure.path->compute, 100 * kMs);
    EXPECT_EQ(measure.path->transfer, 40 * kMs);
    EXPECT_EQ(measure.path->withoutTransfers, 100 * kMs);
    EXPECT_FALSE(measureOf(reader.spans(), averaging.run.runId, {9'000 * kMs, 9'900 * kMs}).path) << "there is nothing";
}

// A trace of another program numbers nothing: what its waits are for is not taken for messages.
TEST(SpanMeasure, WaitsOfAnImportedTraceAreForCollectives) {
    OneRun run(1);
    run.rank(0).span({.kind = SpanKind::Wait, .start = 0, .end = 30 * kMs});
    run.rank(0).span({.kind = SpanKind::Forward, .start = 30 * kMs, .end = 40 * kMs});
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    for (const bool imported : {false, true}) {
        SpanMeasure measure(run.runId, {0, 40 * kMs}, 1, imported);
        ASSERT_TRUE(measure.read(reader.spans(), std::chrono::milliseconds(1'000)).value());
        EXPECT_EQ(measure.result().idle.messages, imported ? 0 : 30 * kMs);
        EXPECT_EQ(measure.result().idle.transfer, imported ? 30 * kMs : 0);
    }
}

}  // namespace
}  // namespace dasgd::gui
