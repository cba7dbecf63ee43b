#include "gui/models/ranks/rank_states.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

RankSpan spanOf(int rank, Lane lane, SpanKind kind, std::int64_t step, Ns start, Ns end) {
    return {rank, {.lane = lane, .kind = kind, .step = step, .start = start, .end = end, .collective = 1}};
}

// One rank that computes all the time; a transfer of which half is hidden by it, the rest waited for.
std::vector<RankSpan> halfHidden(int rank) {
    return {spanOf(rank, Lane::Compute, SpanKind::Forward, 1, 0, 1'000'000),
            spanOf(rank, Lane::Comm, SpanKind::Skew, 1, 400'000, 500'000),
            spanOf(rank, Lane::Comm, SpanKind::Transfer, 1, 500'000, 1'500'000),
            spanOf(rank, Lane::Compute, SpanKind::Wait, 1, 1'000'000, 1'500'000),
            spanOf(rank, Lane::Compute, SpanKind::Backward, 2, 1'500'000, 2'000'000)};
}

TEST(RankStates, OverlapOfTheNewestSpansRankByRank) {
    std::vector<RankSpan> spans = halfHidden(0);
    for (const RankSpan& span : halfHidden(3)) spans.push_back(span);
    const auto now = ranksNow(spans, {0, 2'000'000});
    ASSERT_EQ(now.size(), 2U);
    EXPECT_EQ(now[1].rank, 3);
    EXPECT_DOUBLE_EQ(*now[0].hidden, 0.5);
    EXPECT_DOUBLE_EQ(now[0].blocked, 0.25);
    EXPECT_DOUBLE_EQ(*now[0].skewMs, 0.1);
    EXPECT_DOUBLE_EQ(*now[0].computeMs, 0.75) << "1.5 ms of two steps";
    EXPECT_DOUBLE_EQ(*hiddenNow(spans, {0, 2'000'000}), 0.5);
}

// An average that was under way while the ranks evaluated arrived for free: it must not look hidden, nor the time after
// it free of waiting.
TEST(RankStates, EvaluationsAndWhatTheyDisturbedAreLeftOut) {
    std::vector<RankSpan> spans = halfHidden(0);
    spans.push_back(spanOf(0, Lane::Compute, SpanKind::Eval, 2, 2'000'000, 5'000'000));
    spans.push_back(spanOf(0, Lane::Comm, SpanKind::Transfer, 2, 1'900'000, 6'000'000));
    spans.push_back(spanOf(0, Lane::Compute, SpanKind::Forward, 3, 5'000'000, 7'000'000));
    EXPECT_TRUE(ranksNow(spans, {0, 7'000'000}).empty()) << "nothing was launched since";
    EXPECT_FALSE(hiddenNow(spans, {0, 7'000'000}));
    spans.push_back(spanOf(0, Lane::Comm, SpanKind::Transfer, 3, 7'000'000, 8'000'000));
    spans.push_back(spanOf(0, Lane::Compute, SpanKind::Wait, 3, 7'000'000, 8'000'000));
    const auto now = ranksNow(spans, {0, 8'000'000});
    ASSERT_EQ(now.size(), 1U);
    EXPECT_DOUBLE_EQ(*now[0].hidden, 0);
    EXPECT_DOUBLE_EQ(now[0].blocked, 1);
}

TEST(RankStates, StepsASecondAreOfWholeSteps) {
    std::vector<RankSpan> spans;
    for (int step = 0; step < 4; ++step) {
        const Ns start = step * 2'000'000;
        // The first began before the newest spans do.
        if (step > 0) spans.push_back(spanOf(0, Lane::Compute, SpanKind::Forward, step, start, start + 900'000));
        spans.push_back(spanOf(0, Lane::Compute, SpanKind::Backward, step, start + 900'000, start + 1'500'000));
    }
    EXPECT_DOUBLE_EQ(*ranksNow(spans, {0, 8'000'000}).at(0).stepsPerS, 500);
    EXPECT_FALSE(ranksNow(halfHidden(0), {0, 2'000'000}).at(0).stepsPerS) << "one whole step began";
}

TEST(RankStates, WithoutTransfersNothingIsHidden) {
    const std::vector<RankSpan> spans{spanOf(0, Lane::Compute, SpanKind::Forward, 1, 0, 10)};
    EXPECT_FALSE(ranksNow(spans, {0, 10}).at(0).hidden);
    EXPECT_TRUE(ranksNow({}, {0, 10}).empty());
}

}  // namespace
}  // namespace dasgd::gui
