#include "gui/models/timeline/span_cache.h"

#include <gtest/gtest.h>

#include <random>

namespace dasgd::gui {
namespace {

using storage::SpanRow;
constexpr Ns kMs = 1'000'000;
constexpr auto kLong = std::chrono::minutes(1);

SpanRow row(int rank, SpanKind kind, Ns start, Ns end) {
    return {rank,
            {.lane = kind == SpanKind::Transfer || kind == SpanKind::Skew ? Lane::Comm
                     : kind == SpanKind::Window                           ? Lane::Io
                                                                          : Lane::Compute,
             .kind = kind,
             .start = start,
             .end = end}};
}

// A store in memory that counts how often it is asked.
struct FakeStore {
    std::vector<SpanRow> rows;
    int asked = 0;
    SpanCache::Fetch fetch() {
        return [this](TimeRange range) -> Result<std::vector<SpanRow>> {
            ++asked;
            std::vector<SpanRow> out;
            for (const SpanRow& one : rows) {
                if (one.span.start <= range.end && one.span.end >= range.start) out.push_back(one);
            }
            return out;
        };
    }
};

TEST(SpanCache, AnswersWhatTheStoreHasWhateverTheWindow) {
    std::mt19937_64 random(3);
    FakeStore store;
    for (int i = 0; i < 3000; ++i) {
        const Ns start = static_cast<Ns>(random() % 20'000) * kMs;
        store.rows.push_back(row(static_cast<int>(random() % 3), i % 7 == 0 ? SpanKind::Transfer : SpanKind::Forward,
                                 start, start + static_cast<Ns>(random() % 3'000) * kMs));
    }
    SpanCache cache;
    cache.reset(3);
    cache.grown(30'000 * kMs, false);
    for (int i = 0; i < 200; ++i) {
        const Ns start = static_cast<Ns>(random() % 20'000) * kMs;
        const TimeRange window{start, start + static_cast<Ns>(random() % 4'000) * kMs};
        ASSERT_TRUE(cache.load(window, store.fetch(), kLong).value());
        std::size_t expected = 0;
        for (const SpanRow& one : store.rows) expected += one.span.start <= window.end && one.span.end >= window.start;
        ASSERT_EQ(cache.frame(window, 1e6).spans, expected) << window.start << " " << window.end;
    }
}

TEST(SpanCache, SettledTilesAreReadOnce) {
    FakeStore store{{row(0, SpanKind::Forward, 0, 10)}};
    SpanCache cache;
    cache.reset(1);
    cache.grown(60'000 * kMs, true);
    ASSERT_TRUE(cache.load({0, 1'000 * kMs}, store.fetch(), kLong).value());
    const int asked = store.asked;
    cache.grown(61'000 * kMs, true);
    ASSERT_TRUE(cache.load({0, 1'000 * kMs}, store.fetch(), kLong).value());
    EXPECT_EQ(store.asked, asked);
}

TEST(SpanCache, LateReductionsOfALiveRunAppear) {
    FakeStore store{{row(0, SpanKind::Forward, 0, 10)}};
    SpanCache cache;
    cache.reset(1);
    cache.grown(100 * kMs, true);
    ASSERT_TRUE(cache.load({0, 500 * kMs}, store.fetch(), kLong).value());
    store.rows.push_back(row(0, SpanKind::Transfer, 5, 90 * kMs));
    cache.grown(120 * kMs, true);
    ASSERT_TRUE(cache.load({0, 500 * kMs}, store.fetch(), kLong).value());
    EXPECT_EQ(cache.frame({0, 500 * kMs}, 1e5).spans, 2U);
}

TEST(SpanCache, ReadsALongRangeInPortions) {
    FakeStore store;
    SpanCache cache;
    cache.reset(1);
    cache.grown(1'000'000 * kMs, false);
    const TimeRange all{0, 100'000 * kMs};
    int rounds = 1;
    while (!cache.load(all, store.fetch(), std::chrono::milliseconds(-1)).value()) ++rounds;
    EXPECT_GT(rounds, 5);
    EXPECT_EQ(rounds, store.asked);
}

TEST(SpanCache, ErrorsOfTheStoreAreHandedOn) {
    SpanCache cache;
    cache.reset(1);
    const auto broken = [](TimeRange) -> Result<std::vector<SpanRow>> { return fail("disk"); };
    EXPECT_EQ(cache.load({0, 10}, broken, kLong).error().message, "disk");
}

TEST(SpanCache, RanksWithoutSpansHaveTheirRows) {
    SpanCache cache;
    cache.reset(2);
    const TimelineFrame frame = cache.frame({0, 10}, 1);
    ASSERT_EQ(frame.rows.size(), 4U);
    EXPECT_EQ(frame.rows[3], (TimelineRow{1, Lane::Comm}));
}

TEST(SpanCache, MeasureIsTheMeanOverTheRanks) {
    FakeStore store{{row(0, SpanKind::Forward, 0, 80 * kMs), row(0, SpanKind::Transfer, 40 * kMs, 100 * kMs),
                     row(0, SpanKind::Skew, 20 * kMs, 40 * kMs), row(1, SpanKind::Forward, 0, 40 * kMs),
                     row(1, SpanKind::Wait, 40 * kMs, 60 * kMs)}};
    SpanCache cache;
    cache.reset(2);
    cache.grown(200 * kMs, false);
    ASSERT_TRUE(cache.load({0, 100 * kMs}, store.fetch(), kLong).value());
    const Measure measure = cache.measure({0, 100 * kMs});
    EXPECT_EQ(measure.ranks, 2);
    EXPECT_EQ(measure.mean.compute, 60 * kMs);
    EXPECT_EQ(measure.mean.transfer, 30 * kMs);
    EXPECT_EQ(measure.mean.skew, 10 * kMs);
    EXPECT_EQ(measure.mean.hidden, 20 * kMs);
    EXPECT_EQ(measure.mean.blocked, 10 * kMs);
    EXPECT_EQ(measure.mean.idle, 30 * kMs);
    EXPECT_EQ(cache.measure({300 * kMs, 400 * kMs}).mean.idle, 100 * kMs);
}

TEST(SpanCache, WindowsMarkWhatIsNotTimedAndMakeNoLane) {
    FakeStore store{{row(0, SpanKind::Forward, 0, 80 * kMs), row(0, SpanKind::Window, 10 * kMs, 40 * kMs),
                     row(0, SpanKind::Window, 60 * kMs, 80 * kMs), row(1, SpanKind::Forward, 0, 40 * kMs)}};
    SpanCache cache;
    cache.reset(2);
    cache.grown(200 * kMs, true);
    ASSERT_TRUE(cache.load({0, 100 * kMs}, store.fetch(), kLong).value());
    const TimelineFrame frame = cache.frame({0, 100 * kMs}, 1);
    EXPECT_EQ(frame.rows.size(), 4U);
    EXPECT_EQ(frame.spans, 2U);
    ASSERT_EQ(frame.untimed.size(), 2U);
    EXPECT_EQ(frame.untimed[0].range.end, 10 * kMs);
    EXPECT_EQ(frame.untimed[1].range.start, 40 * kMs);
}

// As recorded before there were windows.
TEST(SpanCache, ARunWithoutWindowsMarksNothing) {
    FakeStore store{{row(0, SpanKind::Forward, 0, 80 * kMs)}};
    SpanCache cache;
    cache.reset(1);
    cache.grown(200 * kMs, false);
    ASSERT_TRUE(cache.load({0, 100 * kMs}, store.fetch(), kLong).value());
    EXPECT_TRUE(cache.frame({0, 100 * kMs}, 1).untimed.empty());
}

}  // namespace
}  // namespace dasgd::gui
