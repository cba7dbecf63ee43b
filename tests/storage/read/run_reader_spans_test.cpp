// Parts of a run's spans, and their rows (storage/read/run_reader_spans.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

TEST(RunReaderSpans, PartsLeadToEveryRowOnce) {
    OneRun run;
    for (std::int64_t step = 0; step < 30'000; ++step) {
        run.rank(0).span({.step = step, .start = step * 10, .end = step * 10 + 9});
    }
    run.finish();
    RunReader reader = run.reader();
    std::vector<std::int64_t> steps;
    for (const SpanPart& root : orDie(reader.spanRoots(run.runId))) {
        ASSERT_EQ(root.level, 1);
        EXPECT_TRUE(root.settled);
        for (const SpanPart& chunk : orDie(reader.spanParts(run.runId, root))) {
            const auto rows = orDie(reader.spanRows(chunk));
            EXPECT_EQ(static_cast<std::int64_t>(rows.size()), chunk.rows);
            for (const SpanRow& row : rows) steps.push_back(row.span.step);
            const auto rest = orDie(reader.spanRows(chunk, chunk.rows - 2));
            ASSERT_EQ(rest.size(), 2U);
            EXPECT_EQ(rest.back().span.step, rows.back().span.step);
        }
    }
    ASSERT_EQ(steps.size(), 30'000U);
    for (std::int64_t step = 0; step < 30'000; ++step) EXPECT_EQ(steps[static_cast<std::size_t>(step)], step);
}

TEST(RunReaderSpans, ThoseOfSomeKindsAreThoseOfAllThatHaveThem) {
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
    RunReader reader = run.reader();
    const TimeRange range{1000, 4000};
    const auto stepsOf = [](const std::vector<SpanRow>& rows, auto&& wanted) {
        std::vector<std::int64_t> steps;
        for (const SpanRow& row : rows) {
            if (wanted(row.span.kind)) steps.push_back(row.span.step);
        }
        std::sort(steps.begin(), steps.end());
        return steps;
    };
    const auto expected = stepsOf(orDie(reader.spans(run.runId, range)), [](SpanKind kind) {
        return kind == SpanKind::Data || kind == SpanKind::Skew || kind == SpanKind::Other;
    });
    // Twice: the second time of a statement that was kept.
    for (int time = 0; time < 2; ++time) {
        const auto found = orDie(reader.spansOf(run.runId, range, {SpanKind::Data, SpanKind::Skew, SpanKind::Other}));
        EXPECT_EQ(stepsOf(found, [](SpanKind) { return true; }), expected);
    }
    EXPECT_GT(expected.size(), 50U);
    EXPECT_TRUE(orDie(reader.spansOf(run.runId, range, {})).empty());
}

TEST(RunReaderSpans, ARunThatIsNotThereHasNoParts) {
    OneRun run;
    RunReader reader = run.reader();
    EXPECT_TRUE(orDie(reader.spanRoots("another")).empty());
    const auto level = reader.spanLevel({.id = 77, .level = 1});
    ASSERT_FALSE(level);
    EXPECT_THAT(level.error().message, HasSubstr("open the workspace again"));
}

TEST(RunReaderSpans, ADamagedLevelIsSaidToBe) {
    OneRun run;
    for (std::int64_t step = 0; step < 9'000; ++step) run.rank(0).span({.step = step, .start = step, .end = step + 1});
    run.finish();
    SQLite::Database(run.store.paths().database().string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE span_node SET sums = x'ffff'");
    RunReader reader = run.reader();
    const auto level = reader.spanLevel(orDie(reader.spanRoots(run.runId)).at(0));
    ASSERT_FALSE(level);
    EXPECT_THAT(level.error().message, HasSubstr("damaged"));
}

}  // namespace
}  // namespace dasgd::storage
