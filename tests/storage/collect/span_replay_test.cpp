#include "storage/collect/span_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/processes.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;

// "rank kind start-end" of each span, with "?" behind a reduce that other ranks may still report.
std::vector<std::string> replayed(const OneRun& run) {
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    std::vector<std::string> lines;
    replaySpans(database, keyOf(run.store.paths(), run.runId), [&](int rank, const Span& span, bool neverDivided) {
        const bool isOpen = span.kind == SpanKind::Reduce && !neverDivided;
        lines.push_back(std::to_string(rank) + " " + std::string(nameOf(span.kind)) + " " + std::to_string(span.start) +
                        "-" + std::to_string(span.end) + (isOpen ? "?" : ""));
    });
    return lines;
}

Span storedReduce(std::uint64_t collective, Ns start, Ns end) {
    return {.lane = Lane::Comm, .kind = SpanKind::Reduce, .start = start, .end = end, .collective = collective};
}

TEST(SpanReplayTest, TellsByStartAndAWindowAfterWhatItCovers) {
    OneRun run(2);
    run.rank(0).span({.kind = SpanKind::Forward, .start = 20, .end = 30});
    run.rank(0).span({.lane = Lane::Io, .kind = SpanKind::Window, .start = 0, .end = 40});
    run.rank(0).span(storedReduce(1, 5, 35));
    run.rank(1).span({.kind = SpanKind::Forward, .start = 0, .end = 10});
    run.rank(1).span(storedReduce(1, 10, 36));
    run.finish();
    EXPECT_THAT(
        replayed(run),
        ElementsAre("1 forward 0-10", "0 skew 5-10", testing::AnyOf("0 transfer 10-35", "1 transfer 10-36"),
                    testing::AnyOf("0 transfer 10-35", "1 transfer 10-36"), "0 forward 20-30", "0 window 0-40"));
}

TEST(SpanReplayTest, TellsWhichReducesMayStillBeDivided) {
    OneRun run(2);
    run.rank(0).span(storedReduce(1, 5, 35));
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    ASSERT_TRUE(eventually([&] { return recorder->recordsStored() > 0; }));
    EXPECT_THAT(replayed(run), ElementsAre("0 reduce 5-35?")) << "rank 1 may report it";
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    orDie(run.store.abandonRun(run.runId, "interrupted", "rank 1 died"));
    EXPECT_THAT(replayed(run), ElementsAre("0 reduce 5-35"));
}

// Chunks have at most 8,192 rows; those of ranks that were read one after the other overlap in time.
TEST(SpanReplayTest, ManyChunksComeInOneOrder) {
    constexpr Ns kSpans = 20'000;
    OneRun run(2);
    for (int rank = 0; rank < 2; ++rank) {
        for (Ns i = 0; i < kSpans; ++i) {
            run.rank(rank).span({.kind = SpanKind::Forward, .start = 10 * i + rank, .end = 10 * i + 9});
        }
    }
    run.finish();
    SQLite::Database database(run.store.paths().database().string(), SQLite::OPEN_READONLY);
    Ns last = -1, told = 0;
    replaySpans(database, keyOf(run.store.paths(), run.runId), [&](int, const Span& span, bool) {
        EXPECT_GT(span.start, last);
        last = span.start;
        ++told;
    });
    EXPECT_EQ(told, 2 * kSpans);
}

}  // namespace
}  // namespace dasgd::storage
