#include "core/analysis/spans/hidden_steps.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

RankSpan of(int rank, SpanKind kind, Ns start, Ns end, std::int64_t step = 1) {
    const Lane lane = isCompute(kind) ? Lane::Compute : kind == SpanKind::Window ? Lane::Io : Lane::Comm;
    return {rank, {.lane = lane, .kind = kind, .step = step, .start = start, .end = end}};
}

TEST(HiddenSteps, IsTheMeanOfTheRanksInTheStepInWhichTheTransferEnded) {
    const std::vector<RankSpan> spans{
        of(0, SpanKind::Forward, 0, 100, 7), of(0, SpanKind::Forward, 100, 150, 8), of(0, SpanKind::Transfer, 50, 150),
        of(1, SpanKind::Forward, 0, 100, 7), of(1, SpanKind::Forward, 100, 110, 8), of(1, SpanKind::Transfer, 90, 190),
        of(0, SpanKind::Window, 0, 1000),    of(1, SpanKind::Window, 0, 1000),
    };
    const auto steps = hiddenPerStep(spans, {0, 1000});
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].step, 8);
    EXPECT_EQ(steps[0].ranks, 2);
    EXPECT_DOUBLE_EQ(steps[0].share, (1.0 + 0.2) / 2);
}

TEST(HiddenSteps, UnionsNotSums) {
    const std::vector<RankSpan> spans{of(0, SpanKind::Forward, 0, 100, 3), of(0, SpanKind::Backward, 50, 100, 3),
                                      of(0, SpanKind::Transfer, 0, 200, 3), of(0, SpanKind::Transfer, 100, 200, 3),
                                      of(0, SpanKind::Window, 0, 1000)};
    const auto steps = hiddenPerStep(spans, {0, 1000});
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_DOUBLE_EQ(steps[0].share, 0.5);
}

TEST(HiddenSteps, WhatIsNotTimedIsLeftOut) {
    std::vector<RankSpan> spans{of(0, SpanKind::Forward, 0, 100, 1), of(0, SpanKind::Transfer, 10, 90),
                                of(0, SpanKind::Forward, 200, 300, 2), of(0, SpanKind::Transfer, 190, 290)};
    EXPECT_TRUE(hiddenPerStep(spans, {0, 1000}).empty()) << "no window has reached them yet";
    spans.push_back(of(0, SpanKind::Window, 0, 200));
    const auto steps = hiddenPerStep(spans, {0, 1000});
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].step, 1);
}

TEST(HiddenSteps, OnlyWhatEndsInTheRange) {
    const std::vector<RankSpan> spans{of(0, SpanKind::Forward, 0, 300, 1), of(0, SpanKind::Transfer, 10, 90),
                                      of(0, SpanKind::Transfer, 150, 250), of(0, SpanKind::Window, 0, 300)};
    EXPECT_TRUE(hiddenPerStep(spans, {90, 200}).empty());
    EXPECT_EQ(hiddenPerStep(spans, {200, 250}).size(), 1U);
}

}  // namespace
}  // namespace dasgd
