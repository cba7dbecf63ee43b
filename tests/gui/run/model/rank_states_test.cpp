#include "gui/run/model/rank_states.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

RankSpan rankSpan(int rank, Lane lane, SpanKind kind, std::int64_t step, Ns start, Ns end) {
    return {rank, {.lane = lane, .kind = kind, .step = step, .start = start, .end = end, .collective = 1}};
}

// A rank that computes all the time; a transfer of which half is hidden by that, the rest waited for.
std::vector<RankSpan> halfHidden(int rank) {
    return {rankSpan(rank, Lane::Compute, SpanKind::Forward, 1, 0, 1'000'000),
            rankSpan(rank, Lane::Comm, SpanKind::Skew, 1, 400'000, 500'000),
            rankSpan(rank, Lane::Comm, SpanKind::Transfer, 1, 500'000, 1'500'000),
            rankSpan(rank, Lane::Compute, SpanKind::Wait, 1, 1'000'000, 1'500'000),
            rankSpan(rank, Lane::Compute, SpanKind::Backward, 2, 1'500'000, 2'000'000)};
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
    spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Eval, 2, 2'000'000, 5'000'000));
    spans.push_back(rankSpan(0, Lane::Comm, SpanKind::Transfer, 2, 1'900'000, 6'000'000));
    spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Forward, 3, 5'000'000, 7'000'000));
    EXPECT_TRUE(ranksNow(spans, {0, 7'000'000}).empty()) << "nothing was launched since";
    EXPECT_FALSE(hiddenNow(spans, {0, 7'000'000}));
    spans.push_back(rankSpan(0, Lane::Comm, SpanKind::Transfer, 3, 7'000'000, 8'000'000));
    spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Wait, 3, 7'000'000, 8'000'000));
    const auto now = ranksNow(spans, {0, 8'000'000});
    ASSERT_EQ(now.size(), 1U);
    EXPECT_DOUBLE_EQ(*now[0].hidden, 0);
    EXPECT_DOUBLE_EQ(now[0].blocked, 1);
}

TEST(RankStates, StepsASecondAreOfWholeSteps) {
    std::vector<RankSpan> spans;
    for (int step = 10; step < 14; ++step) {
        const Ns start = (step - 10) * 2'000'000;
        // The first began before the newest spans do.
        if (step > 10) spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Forward, step, start, start + 900'000));
        spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Backward, step, start + 900'000, start + 1'500'000));
    }
    EXPECT_DOUBLE_EQ(*ranksNow(spans, {0, 8'000'000}).at(0).stepsPerS, 500);
    EXPECT_FALSE(ranksNow(halfHidden(0), {0, 2'000'000}).at(0).stepsPerS) << "one whole step began";
}

// Steps of 1 ms; an average leaves with every fourth, and is waited for, for 3 ms, three steps later.
std::vector<RankSpan> inRounds(int steps) {
    std::vector<RankSpan> spans;
    Ns now = 0;
    for (int step = 1; step <= steps; ++step) {
        spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Forward, step, now, now + 1'000'000));
        now += 1'000'000;
        const int launched = step - 3;
        if (launched > 0 && launched % 4 == 0) {
            spans.push_back(rankSpan(0, Lane::Comm, SpanKind::Skew, launched, now - 3'000'000, now - 2'000'000));
            spans.push_back(rankSpan(0, Lane::Comm, SpanKind::Transfer, launched, now - 2'000'000, now + 3'000'000));
            spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Wait, step, now, now + 3'000'000));
            now += 3'000'000;
        }
    }
    return spans;
}

// The steps until the first average is waited for are faster than any round.
TEST(RankStates, TheFirstSecondsOfTrainingAreNotFasterThanItsRounds) {
    const auto rateOf = [](int steps, Ns from) {
        const std::vector<RankSpan> spans = inRounds(steps);
        std::vector<RankSpan> recent;
        for (const RankSpan& span : spans) {
            if (span.span.end >= from) recent.push_back(span);
        }
        return ranksNow(recent, {from, 1'000'000'000}).at(0).stepsPerS;
    };
    EXPECT_FALSE(rateOf(7, 0)) << "no round is over";
    EXPECT_FALSE(rateOf(10, 0));
    for (const int steps : {11, 12, 14, 15, 23}) {
        EXPECT_NEAR(rateOf(steps, 0).value_or(0), 4 / 0.007, 1e-6) << steps << " steps: 4 of them take 4 + 3 ms";
    }
    // Each window cuts something off at its beginning: the skew of a collective, the collective itself, or a step.
    for (const Ns from : {4'500'000, 5'500'000, 7'500'000, 11'500'000}) {
        EXPECT_NEAR(rateOf(23, from).value_or(0), 4 / 0.007, 1e-6) << from;
    }
}

TEST(RankStates, ARateSaysOfHowLongItIsAndWhetherItIsOfWholeRounds) {
    const RankNow whole = ranksNow(inRounds(23), {0, 1'000'000'000}).at(0);
    EXPECT_TRUE(whole.wholeRounds);
    EXPECT_NEAR(whole.rateSeconds, 4 * 0.007, 1e-9) << "from the launch of step 4 to that of step 20";
    // The newest part has one launch alone, and the run has more before it.
    std::vector<RankSpan> recent;
    for (const RankSpan& span : inRounds(23)) {
        if (span.span.start >= 27'000'000) recent.push_back(span);
    }
    const std::vector<RankNow> part = ranksNow(recent, {27'000'000, 1'000'000'000});
    EXPECT_FALSE(part.at(0).wholeRounds);
    EXPECT_TRUE(needsMore(part, true));
    EXPECT_FALSE(needsMore({whole}, true));
    // The records end before the first launch of the run.
    std::vector<RankNow> first = ranksNow(inRounds(5), {0, 1'000'000'000});
    EXPECT_FALSE(needsMore(first, true)) << "there is no more";
    ASSERT_TRUE(first.at(0).stepsPerS);
    forgetRatesOfSteps(first);
    EXPECT_FALSE(first.at(0).stepsPerS);
}

// A rate of steps in which nothing was waited for is no throughput of the run, however far one may look back.
TEST(RankStates, WhereARunHasRoundsARateIsOfWholeOnes) {
    std::vector<RankNow> ranks{{.rank = 0, .stepsPerS = 10, .wholeRounds = true, .trains = true},
                               {.rank = 1, .stepsPerS = 30, .trains = true}};
    EXPECT_TRUE(needsMore(ranks, true));
    EXPECT_FALSE(needsMore(ranks, false)) << "without rounds a rate of steps is the run's";
    forgetRatesOfSteps(ranks);
    EXPECT_EQ(ranks[0].stepsPerS, 10);
    EXPECT_FALSE(ranks[1].stepsPerS);
    EXPECT_TRUE(needsMore(ranks, false)) << "two steps may be longer than one looked back";
    EXPECT_EQ(samplesNow(ranks, 32), std::nullopt);
}

TEST(RankStates, AShorterReachTellsAsMuchWhileEachRankThatTrainsHasWholeRoundsInIt) {
    const RankNow whole{.rank = 0, .wholeRounds = true, .trains = true}, other{.rank = 1, .trains = true};
    const RankNow waits{.rank = 0};
    EXPECT_TRUE(tellsAsMuch({whole}, {whole}, true));
    EXPECT_FALSE(tellsAsMuch({whole, other}, {whole, other}, true)) << "the second has no whole rounds in it";
    EXPECT_FALSE(tellsAsMuch({whole}, {whole, other}, true)) << "the second is not in it";
    EXPECT_FALSE(tellsAsMuch({waits}, {whole}, true)) << "it waits all the while";
    EXPECT_TRUE(tellsAsMuch({waits}, {waits}, true));
}

TEST(RankStates, ARankKnowsThePauseThatItGoesOnFrom) {
    std::vector<RankSpan> spans = inRounds(12);
    const TimeRange recent{0, 1'000'000'000};
    EXPECT_FALSE(ranksNow(spans, recent).at(0).pause);
    spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Eval, 7, 7'000'000, 7'500'000));
    EXPECT_EQ(ranksNow(spans, recent).at(0).pause, SpanKind::Eval);
    spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Checkpoint, 7, 7'500'000, 7'600'000));
    EXPECT_EQ(ranksNow(spans, recent).at(0).pause, SpanKind::Checkpoint) << "the newest";
}

// A sum over some of the ranks would be a fraction of the run's.
TEST(RankStates, AllRanksTogetherHaveARateOnceEachOfThemHas) {
    const RankNow known{.rank = 0, .stepsPerS = 10, .trains = true}, other{.rank = 1, .stepsPerS = 12, .trains = true};
    const RankNow unknown{.rank = 2, .trains = true}, serves{.rank = 3};
    EXPECT_EQ(samplesNow({known, other, serves}, 32), 32 * 22.0);
    EXPECT_EQ(samplesNow({known, unknown}, 32), std::nullopt);
    EXPECT_EQ(samplesNow({serves}, 32), std::nullopt);
    EXPECT_EQ(samplesNow({}, 32), std::nullopt);
    EXPECT_EQ(samplesNow({known}, 0), std::nullopt) << "a model without samples";
}

// An evaluation before the first step disturbs nothing, and takes nothing of the first round away.
TEST(RankStates, TheEvaluationBeforeTheFirstStepMakesNoRoundOfAPart) {
    for (const int steps : {7, 10, 11, 15}) {
        std::vector<RankSpan> spans = inRounds(steps);
        for (RankSpan& span : spans) {
            span.span.start += 10'000'000;
            span.span.end += 10'000'000;
        }
        spans.push_back(rankSpan(0, Lane::Compute, SpanKind::Eval, 0, 0, 10'000'000));
        const auto rate = ranksNow(spans, {0, 1'000'000'000}).at(0).stepsPerS;
        EXPECT_EQ(rate.has_value(), steps >= 11) << steps;
        EXPECT_NEAR(rate.value_or(4 / 0.007), 4 / 0.007, 1e-6) << steps;
        EXPECT_FALSE(ranksNow(spans, {0, 1'000'000'000}).at(0).pause) << "it is the first round";
    }
}

TEST(RankStates, WithoutCollectivesTheFirstStepCounts) {
    std::vector<RankSpan> spans;
    for (int step = 1; step <= 3; ++step) {
        spans.push_back(
            rankSpan(0, Lane::Compute, SpanKind::Forward, step, step * 2'000'000, step * 2'000'000 + 1'000'000));
    }
    EXPECT_DOUBLE_EQ(*ranksNow(spans, {0, 8'000'000}).at(0).stepsPerS, 500);
    spans.erase(spans.begin() + 1, spans.end());
    EXPECT_FALSE(ranksNow(spans, {0, 8'000'000}).at(0).stepsPerS) << "no whole step";
}

TEST(RankStates, WithoutTransfersNothingIsHidden) {
    const std::vector<RankSpan> spans{rankSpan(0, Lane::Compute, SpanKind::Forward, 1, 0, 10)};
    EXPECT_FALSE(ranksNow(spans, {0, 10}).at(0).hidden);
    EXPECT_TRUE(ranksNow({}, {0, 10}).empty());
}

}  // namespace
}  // namespace dasgd::gui
