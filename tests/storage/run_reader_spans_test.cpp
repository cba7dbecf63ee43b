// Of storage/run_reader_spans.cpp: the parts of a run's spans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

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
