#include "storage/read/span_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "storage/read/workspace_reader.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

TEST(SpanReaderTest, PartsLeadToEveryRowOnce) {
    OneRun run;
    for (std::int64_t step = 0; step < 30'000; ++step) {
        run.rank(0).span({.step = step, .start = step * 10, .end = step * 10 + 9});
    }
    run.finish();
    SpanReader reader = run.reader().spans();
    std::vector<std::int64_t> steps;
    for (const SpanPart& root : orDie(reader.roots(run.runId))) {
        ASSERT_EQ(root.level, 1);
        EXPECT_TRUE(root.settled);
        for (const SpanPart& chunk : orDie(reader.parts(run.runId, root))) {
            const auto rows = orDie(reader.rows(chunk));
            EXPECT_EQ(static_cast<std::int64_t>(rows.size()), chunk.rows);
            for (const SpanRow& row : rows) steps.push_back(row.span.step);
            const auto rest = orDie(reader.rows(chunk, chunk.rows - 2));
            ASSERT_EQ(rest.size(), 2U);
            EXPECT_EQ(rest.back().span.step, rows.back().span.step);
        }
    }
    ASSERT_EQ(steps.size(), 30'000U);
    for (std::int64_t step = 0; step < 30'000; ++step) EXPECT_EQ(steps[static_cast<std::size_t>(step)], step);
}

TEST(SpanReaderTest, ThoseOfSomeKindsAreThoseOfAllThatHaveThem) {
    OneRun run;
    const std::size_t kinds = kSpanKindNames.size();
    for (std::int64_t step = 0; step < 600; ++step) {
        const auto kind = static_cast<SpanKind>(static_cast<std::size_t>(step) % kinds);
        const Lane lane = step % 2 == 0 ? Lane::Comm : Lane::Io;
        // A reduce of a lone rank is divided when the run ends.
        if (kind == SpanKind::Reduce) continue;
        run.rank(0).span({.lane = lane, .kind = kind, .step = step, .start = step * 10, .end = step * 10 + 9});
    }
    run.finish();
    SpanReader reader = run.reader().spans();
    const TimeRange range{1000, 4000};
    const auto stepsOf = [](const std::vector<SpanRow>& rows, auto&& wanted) {
        std::vector<std::int64_t> steps;
        for (const SpanRow& row : rows) {
            if (wanted(row.span.kind)) steps.push_back(row.span.step);
        }
        std::sort(steps.begin(), steps.end());
        return steps;
    };
    const auto expected = stepsOf(orDie(reader.touching(run.runId, range)), [](SpanKind kind) {
        return kind == SpanKind::Data || kind == SpanKind::Skew || kind == SpanKind::Other;
    });
    // Twice: the second time of a statement that was kept.
    for (int time = 0; time < 2; ++time) {
        const auto found = orDie(reader.ofKinds(run.runId, range, {SpanKind::Data, SpanKind::Skew, SpanKind::Other}));
        EXPECT_EQ(stepsOf(found, [](SpanKind) { return true; }), expected);
    }
    EXPECT_GT(expected.size(), 50U);
    EXPECT_TRUE(orDie(reader.ofKinds(run.runId, range, {})).empty());
}

TEST(SpanReaderTest, ARunThatIsNotThereHasNoParts) {
    OneRun run;
    SpanReader reader = run.reader().spans();
    EXPECT_TRUE(orDie(reader.roots("another")).empty());
    const auto level = reader.level({.id = 77, .level = 1});
    ASSERT_FALSE(level);
    EXPECT_THAT(level.error().message, HasSubstr("open the workspace again"));
}

TEST(SpanReaderTest, ADamagedLevelIsSaidToBe) {
    OneRun run;
    for (std::int64_t step = 0; step < 9'000; ++step) run.rank(0).span({.step = step, .start = step, .end = step + 1});
    run.finish();
    SQLite::Database(run.store.paths().database().string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE span_node SET sums = x'ffff'");
    SpanReader reader = run.reader().spans();
    const auto level = reader.level(orDie(reader.roots(run.runId)).at(0));
    ASSERT_FALSE(level);
    EXPECT_THAT(level.error().message, HasSubstr("damaged"));
}

TEST(SpanReaderTest, SpansOfAWindow) {
    OneRun run(2);
    for (std::int64_t step = 0; step < 3000; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            run.rank(rank).span({.step = step, .start = step * 100, .end = step * 100 + 50});
        }
    }
    run.rank(1).span({.lane = Lane::Comm,
                      .kind = SpanKind::Reduce,
                      .step = 1,
                      .start = 0,
                      .end = 1'000'000,
                      .bytes = 44,
                      .collective = 9});
    run.finish();
    SpanReader reader = run.reader().spans();
    EXPECT_EQ(orDie(reader.count(run.runId)), 6001);
    const auto extent = orDie(reader.extent(run.runId));
    ASSERT_TRUE(extent);
    EXPECT_EQ(extent->start, 0);
    EXPECT_EQ(extent->end, 1'000'000);
    EXPECT_EQ(orDie(run.reader().runs().newestInstant(run.runId)), 1'000'000);
    const auto window = orDie(reader.touching(run.runId, {150'060, 150'200}));
    ASSERT_EQ(window.size(), 5U) << "two steps of two ranks and the long reduce";
    EXPECT_EQ(window[0].rank, 0);
    EXPECT_EQ(window[0].span.step, 1501);
    EXPECT_EQ(window[1].span.step, 1502);
    EXPECT_EQ(window[2].rank, 1);
    EXPECT_EQ(window[2].span.kind, SpanKind::Reduce);
    EXPECT_EQ(window[2].span.lane, Lane::Comm);
    EXPECT_EQ(window[2].span.bytes, 44);
    EXPECT_EQ(window[2].span.collective, 9U);
    EXPECT_EQ(orDie(reader.touching(run.runId, {0, 1'000'000}, 100)).size(), 100U);
    EXPECT_EQ(orDie(reader.touching(run.runId, {0, 1'000'000})).size(), 6001U);
    EXPECT_TRUE(orDie(reader.touching("other", {0, 1'000'000})).empty());
    EXPECT_TRUE(orDie(reader.touching(run.runId, {-500, -1})).empty());
}

TEST(SpanReaderTest, AYoungRunHasNoSpans) {
    OneRun run;
    EXPECT_FALSE(orDie(run.reader().spans().extent(run.runId)));
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 0);
}

TEST(SpanReaderTest, StreamsEndWhereTheCallerWants) {
    OneRun run;
    for (std::int64_t step = 0; step < 100; ++step) run.rank(0).span({.step = step});
    run.finish();
    SpanReader reader = run.reader().spans();
    std::int64_t spans = 0;
    orDie(reader.each(run.runId, [&](const SpanRow& row) { return row.span.step == spans++ && spans < 10; }));
    EXPECT_EQ(spans, 10);
}

TEST(LastSeenTest, OfEachRankTheSpanThatEndedLast) {
    OneRun run(3);
    run.rank(0).state(RankState::Starting, 0, "node0");
    run.rank(1).state(RankState::Starting, 0, "node1");
    run.rank(0).span({.kind = SpanKind::Forward, .step = 4, .start = 50, .end = 60});
    run.rank(0).span(
        {.lane = Lane::Comm, .kind = SpanKind::Transfer, .step = 3, .start = 20, .end = 90, .collective = 7});
    run.rank(0).span({.kind = SpanKind::Backward, .step = 4, .start = 60, .end = 80});
    run.rank(0).state(RankState::Failed, 4, "a peer is gone");
    run.rank(1).span({.kind = SpanKind::Wait, .step = 2, .start = 5, .end = 8, .collective = 6});
    run.finish("failed");
    const auto ranks = orDie(run.reader().spans().lastSeen(run.runId));
    ASSERT_EQ(ranks.size(), 3U);
    EXPECT_EQ(ranks[0].host, "node0");
    EXPECT_EQ(ranks[0].state, "failed");
    EXPECT_EQ(ranks[0].text, "a peer is gone");
    EXPECT_EQ(ranks[0].step, 4);
    EXPECT_EQ(ranks[0].last.value().span.kind, SpanKind::Transfer) << "it began first and ended last";
    EXPECT_EQ(ranks[0].last->span.collective, 7);
    EXPECT_EQ(ranks[1].host, "node1");
    EXPECT_EQ(ranks[1].state, "starting");
    EXPECT_EQ(ranks[1].text, "") << "the name of its host";
    EXPECT_EQ(ranks[1].last.value().span.step, 2);
    EXPECT_EQ(ranks[2].host, "");
    EXPECT_EQ(ranks[2].state, "") << "it never said anything";
    EXPECT_FALSE(ranks[2].last);
    EXPECT_TRUE(orDie(run.reader().runs().detail(run.runId)).rankHosts.empty()) << "one rank did not say where it is";
}

}  // namespace
}  // namespace dasgd::storage
