#include "gui/data/spans/span_cache.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/runs.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using namespace dasgd::test;
constexpr auto kLong = std::chrono::minutes(1);
constexpr auto kAtOnce = std::chrono::milliseconds(-1);

Span span(SpanKind kind, Ns start, Ns end) {
    return {.lane = kind == SpanKind::Transfer || kind == SpanKind::Skew ? Lane::Comm
                    : kind == SpanKind::Window                           ? Lane::Io
                                                                         : Lane::Compute,
            .kind = kind,
            .start = start,
            .end = end};
}

// A stored run and the cache of its spans.
class SpanCacheTest : public ::testing::Test {
protected:
    // Steps of some milliseconds on each rank, with scatter; now and then a long evaluation.
    void record(int ranks, int steps) {
        run_ = std::make_unique<OneRun>(ranks);
        std::mt19937_64 random(3);
        for (int rank = 0; rank < ranks; ++rank) {
            Ns now = rank * kMs;
            for (int step = 0; step < steps; ++step) {
                for (const SpanKind kind : {SpanKind::Forward, SpanKind::Backward, SpanKind::Update}) {
                    const Ns end = now + kMs + static_cast<Ns>(random() % 2'000'000);
                    put(rank, span(kind, now, end));
                    now = end;
                }
                if (step % 3 == 0) put(rank, span(SpanKind::Transfer, now - 5 * kMs, now - kMs));
                if (step % 900 != 899) continue;
                put(rank, span(SpanKind::Eval, now, now + 700 * kMs));
                now += 700 * kMs;
            }
        }
        run_->finish();
        reader_.emplace(run_->reader().spans());
        cache_.reset(run_->runId, ranks);
        cache_.grown(false);
    }
    void put(int rank, const Span& one) {
        run_->rank(rank).span(one);
        spans_.push_back({rank, one});
        end_ = std::max(end_, one.end);
    }
    TimelineFrame load(const TimelineView& view) {
        EXPECT_TRUE(cache_.load(*reader_, view, kLong).value());
        return cache_.frame(view);
    }
    [[nodiscard]] std::size_t touching(TimeRange range) const {
        std::size_t count = 0;
        for (const auto& [rank, one] : spans_) count += one.start <= range.end && one.end >= range.start;
        return count;
    }

    std::unique_ptr<OneRun> run_;
    std::optional<storage::SpanReader> reader_;
    SpanCache cache_;
    std::vector<RankSpan> spans_;
    Ns end_ = 0;
};

TEST_F(SpanCacheTest, FittingAllCountsEverySpanWithoutReadingTheRows) {
    record(4, 40'000);
    const TimeRange all{0, end_};
    EXPECT_EQ(load({all, static_cast<double>(end_) / 150}).spans, spans_.size());
    EXPECT_LE(cache_.reads(), 20);
}

// A level is derived from rows; the rows are drawn in the place of a level that cannot be read.
TEST_F(SpanCacheTest, ADamagedLevelHidesNothing) {
    record(4, 40'000);
    {
        SQLite::Database database(run_->store.paths().database().string(), SQLite::OPEN_READWRITE);
        ASSERT_GT(database.exec("UPDATE span_node SET sums = x'00ff' WHERE level = (SELECT max(level) FROM span_node)"),
                  0);
        ASSERT_GT(database.exec("UPDATE span_node SET sums = x'' WHERE level = 1 AND id % 5 = 0"), 0);
    }
    const TimeRange all{0, end_};
    EXPECT_EQ(load({all, static_cast<double>(end_) / 150}).spans, spans_.size());
    const TimeRange close{end_ / 3, end_ / 3 + 400 * kMs};
    EXPECT_EQ(load({close, static_cast<double>(kMs) / 10}).spans, touching(close));
}

// Zoomed in, the frame is what the spans themselves make, to the last box.
TEST_F(SpanCacheTest, CloseUpItIsWhatTheSpansMake) {
    record(3, 12'000);
    std::mt19937_64 random(5);
    for (int i = 0; i < 60; ++i) {
        const Ns start = static_cast<Ns>(random() % static_cast<std::uint64_t>(end_));
        const TimeRange window{start, start + static_cast<Ns>(random() % 900) * kMs};
        const TimelineView view{window, 2e5};
        const TimelineFrame frame = load(view);
        ASSERT_EQ(frame.spans, touching(window));
        std::vector<TimelineBox> expected;
        std::int32_t row = 0;
        for (int rank = 0; rank < 3; ++rank) {
            for (const Lane lane : {Lane::Compute, Lane::Comm}) {
                std::vector<TimelineItem> items;
                for (const auto& [of, one] : spans_) {
                    if (of != rank || one.lane != lane || one.start > window.end || one.end < window.start) continue;
                    items.push_back(itemOf(one));
                }
                std::stable_sort(items.begin(), items.end(),
                                 [](const TimelineItem& a, const TimelineItem& b) { return a.start < b.start; });
                mergeLane(items, row++, view.nsPerPixel, expected);
            }
        }
        ASSERT_EQ(frame.boxes.size(), expected.size());
        for (std::size_t at = 0; at < expected.size(); ++at) {
            ASSERT_EQ(frame.boxes[at].row, expected[at].row);
            ASSERT_EQ(frame.boxes[at].span.start, expected[at].span.start);
            ASSERT_EQ(frame.boxes[at].rgb, expected[at].rgb);
            ASSERT_EQ(frame.boxes[at].count, expected[at].count);
        }
    }
}

// No box is missing at any zoom, and none is further from its spans than a pixel and a bucket, which is no longer.
TEST_F(SpanCacheTest, AtAnyZoomTheColoursAreThoseOfTheSpans) {
    record(2, 40'000);
    for (const double pixels : {300.0, 1800.0, 7000.0, 60'000.0}) {
        const TimelineView view{{0, end_}, static_cast<double>(end_) / pixels};
        const TimelineFrame frame = load(view);
        EXPECT_EQ(frame.spans, spans_.size());
        EXPECT_LE(frame.boxes.size(), static_cast<std::size_t>(4 * (pixels + 2)) + 4 * 90)
            << "one a pixel and long span";
        std::map<std::int32_t, double> covered, expected;
        for (const TimelineBox& box : frame.boxes) {
            covered[box.row] += static_cast<double>(box.span.end - box.span.start) * static_cast<double>(box.cover);
        }
        for (const auto& [rank, one] : spans_) {
            expected[2 * rank + (one.lane == Lane::Comm ? 1 : 0)] += static_cast<double>(one.end - one.start);
        }
        for (const auto& [row, time] : expected) EXPECT_NEAR(covered[row] / time, 1, 0.15) << row << " at " << pixels;
    }
}

TEST_F(SpanCacheTest, WhatWasReadIsNotReadAgain) {
    record(2, 20'000);
    const TimelineView view{{end_ / 2, end_ / 2 + 500 * kMs}, 3e5};
    load(view);
    const int reads = cache_.reads();
    for (int i = 0; i < 20; ++i) load({{view.range.start + i * kMs, view.range.end - i * kMs}, 3e5});
    EXPECT_EQ(cache_.reads(), reads);
}

TEST_F(SpanCacheTest, ALongReadIsMadeInPortionsAndDrawnMeanwhile) {
    record(2, 40'000);
    const TimelineView view{{0, end_}, static_cast<double>(end_) / 100'000};
    int rounds = 0;
    while (!cache_.load(*reader_, view, kAtOnce).value()) {
        // A coarse picture of all from the first round on, then finer ones; nothing is drawn twice.
        ASSERT_EQ(cache_.frame(view).spans, spans_.size()) << rounds;
        ++rounds;
    }
    EXPECT_GT(rounds, 5);
    EXPECT_EQ(cache_.frame(view).spans, spans_.size());
}

TEST_F(SpanCacheTest, OnlyTheRanksInSightHaveBoxes) {
    record(4, 500);
    const TimelineFrame frame = load({{0, end_}, 1e6, {1, 2}});
    EXPECT_EQ(frame.rows.size(), 8U);
    ASSERT_FALSE(frame.boxes.empty());
    for (const TimelineBox& box : frame.boxes) {
        const int rank = frame.rows[static_cast<std::size_t>(box.row)].rank;
        ASSERT_TRUE(rank == 1 || rank == 2);
    }
}

// Reports come late, levels are made meanwhile, and every frame has all that was committed, once.
TEST_F(SpanCacheTest, ALiveRunIsShownAsItIsAtEveryMoment) {
    run_ = std::make_unique<OneRun>(2);
    const auto recorder = orDie(storage::Recorder::start(run_->store, run_->runId, {0, 1}));
    reader_.emplace(run_->reader().spans());
    cache_.reset(run_->runId, 2);
    std::int64_t stored = 0;
    for (int round = 0; round < 30; ++round) {
        for (int step = round * 400; step < (round + 1) * 400; ++step) {
            for (int rank = 0; rank < 2; ++rank) {
                const Ns at = step * kMs;
                run_->rank(rank).span(span(SpanKind::Forward, at, at + kMs));
                // Rank 1 reports a round late.
                if (rank == 1 && step < 400) continue;
                const int launched = rank == 1 ? step - 400 : step;
                run_->rank(rank).span({.lane = Lane::Comm,
                                       .kind = SpanKind::Reduce,
                                       .start = launched * kMs + rank * 1000,
                                       .end = launched * kMs + kMs / 2,
                                       .collective = static_cast<std::uint64_t>(launched + 1)});
            }
        }
        ASSERT_TRUE(eventually([&] { return recorder->recordsStored() >= (round + 1) * 1600 - 400; }));
        cache_.grown(true);
        const TimelineView view{{0, 100'000 * kMs}, 1e6};
        stored = orDie(reader_->count(run_->runId));
        ASSERT_EQ(load(view).spans, static_cast<std::size_t>(stored)) << round;
    }
    EXPECT_GT(stored, 40'000);
    run_->journals.clear();
    orDie(recorder->finish("finished", ""));
    cache_.grown(false);
    std::map<SpanKind, int> kinds;
    for (const TimelineBox& box : load({{0, 20 * kMs}, 100}).boxes) ++kinds[box.span.kind];
    EXPECT_EQ(kinds[SpanKind::Reduce], 0) << "all are divided";
    EXPECT_EQ(kinds[SpanKind::Skew], 21);
    EXPECT_EQ(kinds[SpanKind::Transfer], 40) << "those of the last collective start after the end";
}

TEST_F(SpanCacheTest, RanksWithoutSpansHaveTheirRows) {
    cache_.reset("none", 2);
    const TimelineFrame frame = cache_.frame({{0, 10}, 1});
    ASSERT_EQ(frame.rows.size(), 4U);
    EXPECT_EQ(frame.rows[3], (TimelineRow{1, Lane::Comm}));
}

TEST_F(SpanCacheTest, WindowsMarkWhatIsNotTimedAndMakeNoLane) {
    run_ = std::make_unique<OneRun>(2);
    put(0, span(SpanKind::Forward, 0, 80 * kMs));
    put(0, span(SpanKind::Window, 10 * kMs, 40 * kMs));
    put(0, span(SpanKind::Window, 60 * kMs, 80 * kMs));
    put(1, span(SpanKind::Forward, 0, 40 * kMs));
    run_->finish();
    reader_.emplace(run_->reader().spans());
    cache_.reset(run_->runId, 2);
    const TimelineFrame frame = load({{0, 100 * kMs}, 1});
    EXPECT_EQ(frame.rows.size(), 4U);
    EXPECT_EQ(frame.spans, 2U);
    ASSERT_EQ(frame.untimed.size(), 2U) << "of a live run, and of rank 1 nothing is known";
    EXPECT_EQ(frame.untimed[0].range.end, 10 * kMs);
    EXPECT_EQ(frame.untimed[1].range.start, 40 * kMs);
}

// Runs recorded before there were windows have none.
TEST_F(SpanCacheTest, ARunWithoutWindowsMarksNothing) {
    record(1, 10);
    EXPECT_TRUE(load({{0, 100 * kMs}, 1}).untimed.empty());
}

}  // namespace
}  // namespace dasgd::gui
