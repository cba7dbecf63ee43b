#include "core/analysis/spans/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace dasgd {
namespace {

RankSpan on(int rank, SpanKind kind, Ns start, Ns end, std::uint64_t collective = 0, std::int64_t step = 0) {
    const Lane lane = isReduce(kind) ? Lane::Comm : kind == SpanKind::Data ? Lane::Io : Lane::Compute;
    return {rank, {.lane = lane, .kind = kind, .step = step, .start = start, .end = end, .collective = collective}};
}

// Rank 1 is late at a blocking average; rank 0 waits for it and for the transfer.
std::vector<RankSpan> blockingAverage() {
    return {
        on(0, SpanKind::Forward, 0, 40),      on(0, SpanKind::Skew, 40, 60, 1),   on(0, SpanKind::Transfer, 60, 90, 1),
        on(0, SpanKind::Wait, 40, 90, 1),     on(0, SpanKind::Merge, 90, 100, 1), on(1, SpanKind::Forward, 0, 60),
        on(1, SpanKind::Transfer, 60, 90, 1), on(1, SpanKind::Wait, 60, 90, 1),   on(1, SpanKind::Merge, 90, 95, 1)};
}

TEST(CriticalPath, GoesOverTheTransferToTheRankThatCameLast) {
    const auto path = criticalPathOf(blockingAverage());
    ASSERT_TRUE(path);
    EXPECT_EQ(path->rank, 0);
    EXPECT_EQ(path->compute, 60 + 10) << "the pass of rank 1, the merge of rank 0";
    EXPECT_EQ(path->transfer, 30);
    EXPECT_EQ(path->idle + path->messages + path->other, 0);
    EXPECT_EQ(path->length(), 100);
    EXPECT_EQ(path->withoutTransfers, 70);
    EXPECT_DOUBLE_EQ(path->saved(), 0.3);
}

TEST(CriticalPath, OfAHiddenTransferIsComputingAlone) {
    const std::vector<RankSpan> spans{on(0, SpanKind::Forward, 0, 40),  on(0, SpanKind::Transfer, 40, 70, 1),
                                      on(0, SpanKind::Forward, 40, 80), on(0, SpanKind::Merge, 80, 90, 1),
                                      on(1, SpanKind::Forward, 0, 40),  on(1, SpanKind::Transfer, 40, 70, 1),
                                      on(1, SpanKind::Forward, 40, 85), on(1, SpanKind::Merge, 85, 90, 1)};
    const auto path = criticalPathOf(spans);
    ASSERT_TRUE(path);
    EXPECT_EQ(path->transfer, 0);
    EXPECT_EQ(path->compute, 90);
    EXPECT_EQ(path->withoutTransfers, 90);
    EXPECT_EQ(path->saved(), 0);
}

// With the transfer gone another rank decides: less is saved than the transfer's share of the path.
TEST(CriticalPath, SavesNoMoreThanTheNextPathAllows) {
    const std::vector<RankSpan> spans{on(0, SpanKind::Forward, 0, 10),  on(0, SpanKind::Transfer, 10, 90, 1),
                                      on(0, SpanKind::Wait, 10, 90, 1), on(0, SpanKind::Merge, 90, 100, 1),
                                      on(1, SpanKind::Forward, 0, 10),  on(1, SpanKind::Transfer, 10, 90, 1),
                                      on(1, SpanKind::Forward, 10, 85), on(1, SpanKind::Merge, 90, 95, 1)};
    const auto path = criticalPathOf(spans);
    ASSERT_TRUE(path);
    EXPECT_EQ(path->transfer, 80);
    EXPECT_EQ(path->withoutTransfers, 95) << "rank 1, which waited for nothing that a span tells of";
}

TEST(CriticalPath, TellsApartWhatIsNoComputing) {
    const std::vector<RankSpan> spans{on(0, SpanKind::Data, 0, 20), on(0, SpanKind::Forward, 15, 40),
                                      on(0, SpanKind::Wait, 40, 55), on(0, SpanKind::Eval, 60, 90)};
    const auto path = criticalPathOf(spans);
    ASSERT_TRUE(path);
    EXPECT_EQ(path->other, 15 + 30);
    EXPECT_EQ(path->compute, 25);
    EXPECT_EQ(path->messages, 15) << "a wait without a collective";
    EXPECT_EQ(path->idle, 5);
    EXPECT_EQ(path->length(), 90);
    EXPECT_EQ(path->withoutTransfers, 90);
    EXPECT_FALSE(criticalPathOf({}));
    EXPECT_FALSE(criticalPathOf(std::vector<RankSpan>{on(0, SpanKind::Transfer, 0, 5, 1)}));
}

// A program of each rank: computing, launching a collective of all ranks, waiting for one and merging it.
struct Step {
    enum class Kind { Compute, Launch, Wait } kind = Kind::Compute;
    Ns duration = 0;
    std::uint64_t collective = 0;
};
using Program = std::vector<Step>;
using Durations = std::map<std::uint64_t, Ns>;

// Plain and slow: each rank goes on as soon as it can, in rounds, until nobody does.
struct Simulated {
    std::vector<RankSpan> spans;
    Ns end = 0;
};
Simulated simulate(const std::vector<Program>& programs, const Durations& transfers) {
    Simulated made;
    std::vector<Ns> now(programs.size(), 0);
    std::vector<std::size_t> next(programs.size(), 0);
    std::map<std::uint64_t, std::map<std::size_t, Ns>> arrived;
    for (bool moves = true; moves;) {
        moves = false;
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            while (next[rank] < programs[rank].size()) {
                const Step& step = programs[rank][next[rank]];
                const int number = static_cast<int>(rank);
                if (step.kind == Step::Kind::Compute) {
                    made.spans.push_back(on(number, SpanKind::Forward, now[rank], now[rank] + step.duration));
                    now[rank] += step.duration;
                } else if (step.kind == Step::Kind::Launch) {
                    arrived[step.collective][rank] = now[rank];
                } else {
                    const auto& instants = arrived[step.collective];
                    if (instants.size() < programs.size()) break;
                    Ns last = 0;
                    for (const auto& [who, at] : instants) last = std::max(last, at);
                    const Ns end = last + transfers.at(step.collective);
                    if (end > now[rank]) {
                        made.spans.push_back(on(number, SpanKind::Wait, now[rank], end, step.collective));
                        now[rank] = end;
                    }
                    made.spans.push_back(
                        on(number, SpanKind::Merge, now[rank], now[rank] + step.duration, step.collective));
                    now[rank] += step.duration;
                }
                ++next[rank];
                moves = true;
            }
        }
    }
    for (const auto& [collective, instants] : arrived) {
        Ns last = 0;
        for (const auto& [who, at] : instants) last = std::max(last, at);
        for (const auto& [who, at] : instants) {
            const int number = static_cast<int>(who);
            if (at < last) made.spans.push_back(on(number, SpanKind::Skew, at, last, collective));
            const Ns end = last + transfers.at(collective);
            made.spans.push_back(on(number, SpanKind::Transfer, last, end, collective));
        }
    }
    made.end = *std::ranges::max_element(now);
    return made;
}

// Programs with up to three collectives in flight at a time, as of delayed averages of fragments.
std::vector<Program> randomPrograms(std::mt19937& random, std::size_t ranks) {
    std::uniform_int_distribution<Ns> duration(1, 100);
    std::vector<Program> programs(ranks);
    for (std::uint64_t collective = 1; collective <= 20; ++collective) {
        for (Program& program : programs) {
            program.push_back({Step::Kind::Compute, duration(random)});
            program.push_back({Step::Kind::Launch, 0, collective});
            program.push_back({Step::Kind::Compute, duration(random)});
            if (collective > 2) program.push_back({Step::Kind::Wait, duration(random) / 10, collective - 2});
        }
    }
    return programs;
}

TEST(CriticalPath, AgreesWithASimulationWithoutTransfers) {
    std::mt19937 random(11);
    for (const std::size_t ranks : {1U, 2U, 4U, 7U}) {
        for (int trial = 0; trial < 20; ++trial) {
            const auto programs = randomPrograms(random, ranks);
            Durations transfers, none;
            std::uniform_int_distribution<Ns> duration(0, trial % 2 == 0 ? 300 : 60);
            for (std::uint64_t collective = 1; collective <= 20; ++collective) {
                transfers[collective] = duration(random);
                none[collective] = 0;
            }
            Simulated run = simulate(programs, transfers);
            std::ranges::shuffle(run.spans, random);
            const auto path = criticalPathOf(run.spans);
            ASSERT_TRUE(path);
            EXPECT_EQ(path->range.end, run.end);
            EXPECT_EQ(path->length(), run.end) << "no gap in the path";
            EXPECT_EQ(path->idle + path->messages + path->other, 0);
            EXPECT_EQ(path->withoutTransfers, simulate(programs, none).end);
            EXPECT_GE(path->transfer, run.end - path->withoutTransfers)
                << "without them the path is at least its computing";
            // Twice as much computing and transfer is twice the path.
            for (RankSpan& one : run.spans) {
                one.span.start *= 2;
                one.span.end *= 2;
            }
            const auto twice = criticalPathOf(run.spans);
            EXPECT_EQ(twice->compute, 2 * path->compute);
            EXPECT_EQ(twice->withoutTransfers, 2 * path->withoutTransfers);
        }
    }
}

// Gradients that had arrived before the update needed them leave no wait: the update of their step tells.
TEST(CriticalPath, AnUpdateNeedsTheGradientsOfItsStep) {
    std::vector<RankSpan> spans{on(0, SpanKind::Wait, 0, 50, 1),         on(0, SpanKind::Transfer, 0, 50, 1),
                                on(1, SpanKind::Forward, 0, 20),         on(1, SpanKind::Transfer, 0, 50, 1),
                                on(0, SpanKind::Backward, 50, 55, 0, 2), on(0, SpanKind::Skew, 55, 56, 2, 2),
                                on(0, SpanKind::Transfer, 56, 60, 2, 2), on(0, SpanKind::Backward, 55, 62, 0, 2),
                                on(0, SpanKind::Update, 62, 70, 0, 2),   on(1, SpanKind::Backward, 20, 56, 0, 2),
                                on(1, SpanKind::Transfer, 56, 60, 2, 2), on(1, SpanKind::Backward, 56, 63, 0, 2),
                                on(1, SpanKind::Update, 63, 69, 0, 2)};
    const auto path = criticalPathOf(spans);
    ASSERT_TRUE(path);
    // Rank 0 comes to its update 50 earlier, at 12, and rank 1 to the collective at 56 as before.
    EXPECT_EQ(path->withoutTransfers, 69);
    EXPECT_EQ(path->range.end, 70);
    for (RankSpan& one : spans) {
        if (one.rank == 1 && one.span.start >= 60) one.span.end = 64;
    }
    EXPECT_EQ(criticalPathOf(spans)->withoutTransfers, 56 + 8) << "rank 0's update, behind rank 1's gradients";
}

// Clocks of hosts that differ by more than a transfer takes: the order of events is not to be seen from their times.
TEST(CriticalPath, EndsWhereClocksDiffer) {
    std::mt19937 random(5);
    const auto programs = randomPrograms(random, 3);
    Durations transfers;
    for (std::uint64_t collective = 1; collective <= 20; ++collective) transfers[collective] = 40;
    Simulated run = simulate(programs, transfers);
    for (RankSpan& one : run.spans) {
        one.span.start += 55 * one.rank;
        one.span.end += 55 * one.rank;
    }
    const auto path = criticalPathOf(run.spans);
    ASSERT_TRUE(path);
    EXPECT_LE(path->withoutTransfers, path->range.end - path->range.start);
    EXPECT_GE(path->withoutTransfers, 0);
}

TEST(CriticalPath, OfSomeStepsTakesWhatIsInFlight) {
    std::vector<RankSpan> spans = blockingAverage();
    for (RankSpan& one : spans) one.span.step = one.span.kind == SpanKind::Forward ? 1 : 2;
    spans.push_back(on(0, SpanKind::Forward, 100, 150, 0, 3));
    spans.push_back(on(1, SpanKind::Forward, 95, 120, 0, 3));
    const auto second = spansOfSteps(spans, 2, 2);
    const auto path = criticalPathOf(second);
    ASSERT_TRUE(path);
    EXPECT_EQ(path->range.start, 40);
    EXPECT_EQ(path->range.end, 100);
    EXPECT_EQ(path->transfer, 30);
    EXPECT_EQ(path->length(), 60);
    EXPECT_EQ(criticalPathOf(spansOfSteps(spans, 1, 3))->range.end, 150);
    EXPECT_TRUE(spansOfSteps(spans, 7, 9).empty());
}

}  // namespace
}  // namespace dasgd
