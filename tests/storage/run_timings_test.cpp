#include "storage/run_timings.h"

#include <gtest/gtest.h>

#include <vector>

namespace dasgd::storage {
namespace {

SpanRow compute(int rank, std::int64_t step, Ns start, Ns length) {
    return {rank, {.kind = SpanKind::Forward, .step = step, .start = start, .end = start + length}};
}
SpanRow reduce(int rank, std::uint64_t collective, Ns start, Ns end) {
    return {rank, {.lane = Lane::Comm, .kind = SpanKind::Reduce, .start = start, .end = end, .collective = collective}};
}

TEST(RunTimingsTest, NothingSaysNothing) {
    const RunTimings none = timingsOf({});
    EXPECT_FALSE(none.skewS || none.inflation || none.stragglerRank || none.stragglerExcess);
    const std::vector<SpanRow> one{compute(0, 1, 0, 10), reduce(0, 1, 0, 5)};
    EXPECT_FALSE(timingsOf(one).skewS) << "one rank waits for nobody";
    EXPECT_FALSE(timingsOf(one).stragglerRank);
}

TEST(RunTimingsTest, SkewIsTheWaitForTheLastArrival) {
    const std::vector<SpanRow> spans{reduce(0, 1, 0, 9),        reduce(1, 1, 3'000'000'000, 9), reduce(0, 2, 10, 19),
                                     reduce(1, 2, 10, 19),      reduce(0, 3, 20, 29),  // rank 1 has not arrived yet
                                     reduce(0, 0, 0, 1'000'000)};                      // no collective
    EXPECT_DOUBLE_EQ(timingsOf(spans).skewS.value(), 3.0 / 4);
}

TEST(RunTimingsTest, InflationComparesStepsUnderAReduceWithTheOthers) {
    std::vector<SpanRow> spans;
    for (std::int64_t step = 0; step < 8; ++step) {
        const bool under = step % 2 == 1;
        spans.push_back(compute(0, step, step * 1000, under ? 600 : 500));
        if (under) spans.push_back(reduce(0, static_cast<std::uint64_t>(step), step * 1000 - 100, step * 1000 + 650));
    }
    // Half covered: belongs to neither.
    spans.push_back(compute(0, 9, 9000, 100'000));
    spans.push_back(reduce(0, 9, 9000, 59'000));
    EXPECT_DOUBLE_EQ(timingsOf(spans).inflation.value(), 1.2);
}

TEST(RunTimingsTest, InflationNeedsBothKinds) {
    const std::vector<SpanRow> always{compute(0, 1, 0, 10), reduce(0, 1, 0, 10)};
    EXPECT_FALSE(timingsOf(always).inflation);
    const std::vector<SpanRow> never{compute(0, 1, 0, 10)};
    EXPECT_FALSE(timingsOf(never).inflation);
}

TEST(RunTimingsTest, TheStragglerComputesLongest) {
    std::vector<SpanRow> spans;
    for (int rank = 0; rank < 5; ++rank) {
        for (std::int64_t step = 0; step < 4; ++step) {
            spans.push_back(compute(rank, step, step * 1000, rank == 3 ? 150 : 100));
            // Ranks that wait for the slow one are not slow.
            spans.push_back({rank, {.kind = SpanKind::Wait, .step = step, .start = 0, .end = 900}});
        }
    }
    const RunTimings timings = timingsOf(spans);
    EXPECT_EQ(timings.stragglerRank, 3);
    EXPECT_DOUBLE_EQ(timings.stragglerExcess.value(), 0.5);
}

}  // namespace
}  // namespace dasgd::storage
