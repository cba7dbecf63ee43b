#include "core/analysis/spans/trace_diff.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

using What = PartDifference::What;

RankSpan span(int rank, SpanKind kind, Ns start, Ns end, std::int64_t steps = 0) {
    return {.rank = rank, .span = {.kind = kind, .start = start, .end = end, .bytes = steps}};
}

// Two steps of 100 on each rank; half of rank 1's transfer is hidden.
std::vector<RankSpan> twoRanks() {
    return {span(0, SpanKind::Window, 0, 200, 2), span(1, SpanKind::Window, 0, 200, 2),
            span(0, SpanKind::Forward, 0, 120),   span(0, SpanKind::Forward, 100, 140),
            span(1, SpanKind::Forward, 0, 100),   span(1, SpanKind::Transfer, 80, 120),
            span(1, SpanKind::Wait, 100, 120),    span(1, SpanKind::Forward, 250, 300),
            span(0, SpanKind::Eval, 400, 500)};
}

TEST(TraceDiffTest, IsTheMeanOfTheRanksOfUnionsPerStep) {
    const StepParts parts = stepPartsOf(twoRanks(), {0, 1000});
    EXPECT_EQ(parts.ranks, 2);
    EXPECT_EQ(parts.steps, 4);
    EXPECT_DOUBLE_EQ(parts.stepNs, 100);
    EXPECT_DOUBLE_EQ(parts.kindNs[static_cast<std::size_t>(SpanKind::Forward)], (70 + 50) / 2.0)
        << "overlapping spans count once, and what lies outside of windows not at all";
    EXPECT_DOUBLE_EQ(parts.kindNs[static_cast<std::size_t>(SpanKind::Eval)], 0);
    EXPECT_DOUBLE_EQ(*parts.hidden(), 0.5);
    EXPECT_DOUBLE_EQ(*parts.blocked(), 0.05);
}

TEST(TraceDiffTest, AWindowThatIsCutCountsForNothing) {
    const auto spans = twoRanks();
    EXPECT_EQ(stepPartsOf(spans, {1, 1000}).ranks, 0);
    EXPECT_EQ(stepPartsOf(spans, {0, 199}).ranks, 0);
    auto later = spans;
    later.push_back(span(0, SpanKind::Window, 200, 260, 1));
    const StepParts parts = stepPartsOf(later, {200, 300});
    EXPECT_EQ(parts.ranks, 1) << "the other rank has no whole window there";
    EXPECT_DOUBLE_EQ(parts.stepNs, 60);
    EXPECT_FALSE(parts.hidden());
}

TEST(TraceDiffTest, OfAWindowThatIsCutItsWholeStepsCount) {
    std::vector<RankSpan> spans{span(0, SpanKind::Window, 0, 1000, 10)};
    for (int step = 0; step < 10; ++step) {
        spans.push_back(span(0, SpanKind::Forward, 100 * step, 100 * step + 40));
        spans.back().span.step = step;
        spans.push_back(span(0, SpanKind::Backward, 100 * step + 40, 100 * step + 90));
        spans.back().span.step = step;
    }
    const StepParts middle = stepPartsOf(spans, {120, 580});
    EXPECT_EQ(middle.steps, 2) << "from 300 to 500: what is seen first may have begun before";
    EXPECT_DOUBLE_EQ(middle.stepNs, 100);
    EXPECT_DOUBLE_EQ(middle.computeNs, 90);
    EXPECT_EQ(stepPartsOf(spans, {-5, 250}).steps, 2);
    EXPECT_EQ(stepPartsOf(spans, {750, 2000}).steps, 1);
    EXPECT_EQ(stepPartsOf(spans, {110, 190}).ranks, 0);
}

// Three steps of 100 and one of 700, which waits and merges: the long one is counted wherever the stretch cuts.
TEST(TraceDiffTest, OfAWindowThatIsCutItsWholeRoundsCount) {
    for (const SpanKind ends : {SpanKind::Merge, SpanKind::Snapshot}) {
        std::vector<RankSpan> spans{span(0, SpanKind::Window, 0, 10'000, 40)};
        Ns at = 0;
        const auto add = [&](SpanKind kind, int step, Ns length) {
            spans.push_back(span(0, kind, at, at + length));
            spans.back().span.step = step;
            at += length;
        };
        for (int step = 1; step <= 40; ++step) {
            add(SpanKind::Forward, step, 100);
            if (step % 4 > 0) continue;
            add(SpanKind::Wait, step, 590);
            add(ends, step, 10);
        }
        // Spans as a reader gives them: those that touch the stretch, and those that make rounds in the windows around
        // it.
        const auto partsIn = [&spans](TimeRange stretch) {
            std::vector<RankSpan> inside, rounds;
            const TimeRange around = windowsAround(spans, stretch);
            for (const RankSpan& one : spans) {
                if (one.span.start < stretch.end && one.span.end > stretch.start) inside.push_back(one);
                const bool makesRound = one.span.kind == SpanKind::Merge || one.span.kind == SpanKind::Snapshot;
                if (makesRound && one.span.start < around.end && one.span.end > around.start) rounds.push_back(one);
            }
            return stepPartsOf(inside, stretch, rounds);
        };
        int told = 0;
        for (Ns from = 0; from < 2'000; from += 130) {
            const StepParts parts = partsIn({from, from + 2'600});
            if (parts.ranks == 0) continue;
            ++told;
            EXPECT_DOUBLE_EQ(parts.stepNs, 250) << from;
            EXPECT_DOUBLE_EQ(*parts.blocked(), 0.59) << from;
            EXPECT_EQ(parts.steps % 4, 0) << from;
        }
        EXPECT_GT(told, 5);
        EXPECT_EQ(partsIn({150, 950}).ranks, 0) << "no whole round";
        EXPECT_EQ(partsIn({50, 380}).ranks, 0) << "nor where no merge is in sight";
    }
}

TEST(TraceDiffTest, PartsOfAWindowCountOnce) {
    // A long step that was recorded in parts: only the last one has the step.
    const std::vector<RankSpan> spans{span(0, SpanKind::Window, 0, 40, 0), span(0, SpanKind::Window, 40, 100, 1)};
    EXPECT_DOUBLE_EQ(stepPartsOf(spans, {0, 100}).stepNs, 100);
}

TEST(TraceDiffTest, TellsWhatIsNotKnownApartFromNothing) {
    StepParts a = stepPartsOf(twoRanks(), {0, 1000}), b = a;
    b.kindNs[static_cast<std::size_t>(SpanKind::Wait)] = 0;
    b.blockedNs = 0;
    b.stepNs = 150;
    const auto lines = differencesOf(a, {}, b, {.waits = false});
    ASSERT_EQ(lines.size(), 6U) << "step, forward, wait, transfer, hidden, blocked";
    EXPECT_EQ(lines[0].what, What::Step);
    EXPECT_DOUBLE_EQ(*lines[0].difference(), 50);
    EXPECT_DOUBLE_EQ(*lines[0].ratio(), 1.5);
    EXPECT_EQ(lines[2].kind, SpanKind::Wait);
    EXPECT_FALSE(lines[2].b || lines[2].difference() || lines[2].ratio());
    EXPECT_EQ(lines.back().what, What::Blocked);
    EXPECT_FALSE(lines.back().b);
    // The same of a run that records waits and had none.
    EXPECT_DOUBLE_EQ(*differencesOf(a, {}, b, {}).back().b, 0);
    const auto reversed = differencesOf(b, {}, a, {});
    EXPECT_FALSE(reversed[2].ratio()) << "nothing has no ratio";
}

TEST(TraceDiffTest, SaysNothingOfRunsWithoutWindows) {
    EXPECT_TRUE(differencesOf({}, {}, {}, {}).empty());
    const auto lines = differencesOf(stepPartsOf(twoRanks(), {0, 1000}), {}, {}, {});
    for (const PartDifference& line : lines) EXPECT_FALSE(line.b || line.difference());
}

}  // namespace
}  // namespace dasgd
