#include "storage/mirror/run_rows.h"

#include <gtest/gtest.h>

#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

struct Reading {
    explicit Reading(const OneRun& run)
        : database((run.folder / "workspace" / "lab.db").string(), SQLite::OPEN_READONLY),
          rows(database),
          key(keyOf(run.store.paths(), run.runId)) {}
    bool read(std::int64_t most = 1000) {
        part = {};
        return rows.read(key, from, most, part);
    }
    SQLite::Database database;
    RunRows rows;
    std::int64_t key;
    RowPositions from;
    MirrorPart part;
};

TEST(RunRowsTest, RowsOfOtherRunsAreLeftOut) {
    OneRun run;
    orDie(run.store.addRun(runInfo("run-b")));
    for (int i = 0; i < 5; ++i) {
        addRecords(run.folder / "workspace", "run-a", 10, 10);
        addRecords(run.folder / "workspace", "run-b", 10, 10);
    }
    Reading reading(run);
    EXPECT_TRUE(reading.read());
    EXPECT_EQ(reading.part.metrics.size(), 50U);
    EXPECT_EQ(reading.part.spans.size(), 50U);
    EXPECT_EQ(reading.from.metric, 90) << "the newest of its rows";
    EXPECT_TRUE(reading.read());
    EXPECT_TRUE(reading.part.empty());
}

TEST(RunRowsTest, MoreThanAskedForIsSaid) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 25, 0);
    Reading reading(run);
    EXPECT_FALSE(reading.read(10));
    EXPECT_FALSE(reading.read(10));
    EXPECT_TRUE(reading.read(10));
    EXPECT_EQ(reading.part.metrics.size(), 5U);
    addRecords(run.folder / "workspace", "run-a", 0, 20'000);
    EXPECT_FALSE(reading.read(16'000));
    EXPECT_EQ(reading.part.spans.size(), 16'000U);
    EXPECT_TRUE(reading.read(16'000));
    EXPECT_EQ(reading.part.spans.size(), 4'000U);
}

// Only rows that cannot change any more are sent: a reduce whose other rank has not reported is divided later.
TEST(RunRowsTest, AnUndividedReduceIsToldOnceItIsDivided) {
    OneRun run(2);
    const auto reduce = [](std::int64_t start) {
        return Span{
            .lane = Lane::Comm, .kind = SpanKind::Reduce, .step = 1, .start = start, .end = 90, .collective = 1};
    };
    const auto recorder = orDie(Recorder::start(run.store, "run-a", {0, 1}));
    run.rank(0).span({.kind = SpanKind::Forward, .step = 1, .start = 1, .end = 2});
    run.rank(0).span(reduce(10));
    ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == 2; }));
    run.rank(0).span({.kind = SpanKind::Backward, .step = 1, .start = 3, .end = 4});
    ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == 3; }));
    Reading reading(run);
    EXPECT_TRUE(reading.read());
    ASSERT_EQ(reading.part.spans.size(), 1U);
    run.rank(1).span(reduce(40));
    ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == 4; }));
    EXPECT_TRUE(reading.read());
    EXPECT_EQ(reading.part.spans.size(), 4U) << "backward, two transfers and a skew";
    for (const MirroredSpan& span : reading.part.spans) {
        EXPECT_NE(span.tag & 63, static_cast<std::int64_t>(SpanKind::Reduce));
    }
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
}

}  // namespace
}  // namespace dasgd::storage
