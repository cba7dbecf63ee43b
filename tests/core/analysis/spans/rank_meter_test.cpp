#include "core/analysis/spans/rank_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace dasgd {
namespace {

Span span(SpanKind kind, Ns start, Ns end, std::int64_t step = 0, std::uint64_t collective = 0) {
    return {.kind = kind, .step = step, .start = start, .end = end, .collective = collective};
}
Span window(Ns start, Ns end) { return span(SpanKind::Window, start, end); }

OverlapTotals totalsOf(const std::vector<Span>& spans) {
    RankMeter meter;
    for (const Span& one : spans) meter.add(one);
    return meter.totals();
}

// A step of 100: forward 40, backward 60; slower by `factor` where bytes move all the time.
void step(std::vector<Span>& spans, Ns& now, std::int64_t number, Ns length, std::uint64_t collective = 0) {
    const Ns begin = now;
    spans.push_back(span(SpanKind::Forward, now, now + length * 2 / 5, number));
    now += length * 2 / 5;
    spans.push_back(span(SpanKind::Backward, now, begin + length, number));
    now = begin + length;
    if (collective != 0) spans.push_back(span(SpanKind::Transfer, begin, now, number, collective));
}

TEST(RankMeterTest, SkewIsNoPartOfHidden) {
    // Arrived at 0, the last rank at 60, done at 100; computing until 70.
    const OverlapTotals totals =
        totalsOf({span(SpanKind::Forward, 0, 70), span(SpanKind::Skew, 0, 60), span(SpanKind::Transfer, 60, 100),
                  span(SpanKind::Wait, 70, 100), window(0, 100)});
    EXPECT_EQ(totals.hidden, 10) << "with the skew it would be 70";
    EXPECT_EQ(totals.transfer, 40);
    EXPECT_EQ(totals.skew, 60);
    EXPECT_EQ(totals.transfers, 1);
    EXPECT_EQ(totals.blocked, 30);
}

// An evaluation during which a transfer ends must not raise the hidden share.
TEST(RankMeterTest, OnlyWindowsCount) {
    const std::vector<Span> spans{span(SpanKind::Forward, 0, 40), span(SpanKind::Transfer, 20, 120),
                                  span(SpanKind::Merge, 60, 120), span(SpanKind::Wait, 40, 60), window(0, 60)};
    const OverlapTotals totals = totalsOf(spans);
    EXPECT_EQ(totals.window, 60);
    EXPECT_EQ(totals.transfer, 40);
    EXPECT_EQ(totals.hidden, 20);
    EXPECT_EQ(totals.compute, 40);
    EXPECT_EQ(totals.blocked, 20);
    EXPECT_EQ(totals.transfers, 0) << "it ended outside";
}

TEST(RankMeterTest, WithoutAWindowNothingIsKnown) {
    const OverlapTotals totals = totalsOf({span(SpanKind::Forward, 0, 40), span(SpanKind::Transfer, 20, 60)});
    EXPECT_EQ(totals, OverlapTotals());
    EXPECT_FALSE(totals.inflation());
}

TEST(RankMeterTest, AnUndividedReduceIsInNoNumber) {
    const OverlapTotals totals =
        totalsOf({span(SpanKind::Forward, 0, 40), span(SpanKind::Reduce, 0, 40, 1, 7), window(0, 100)});
    EXPECT_EQ(totals.transfer, 0);
}

TEST(RankMeterTest, InflationComparesStepsUnderATransferWithFreeOnes) {
    std::vector<Span> spans;
    Ns now = 0;
    for (std::int64_t k = 1; k <= 20; ++k) {
        step(spans, now, k, k % 2 == 0 ? 150 : 100, k % 2 == 0 ? static_cast<std::uint64_t>(k) : 0);
    }
    spans.push_back(window(0, now));
    const OverlapTotals totals = totalsOf(spans);
    EXPECT_EQ(totals.steps.at(0).beside, 10);
    EXPECT_EQ(totals.steps.at(0).free, 10);
    EXPECT_DOUBLE_EQ(*totals.inflation(), 1.5);
}

// A step of 100 slows down to half of its speed while bytes move: 60 of the time under a transfer does the work of 30.
TEST(RankMeterTest, InflationOfStepsThatAreCoveredInPart) {
    std::vector<Span> spans;
    Ns now = 0;
    for (std::int64_t k = 1; k <= 40; ++k) {
        const bool moving = k % 4 == 0;
        if (moving) spans.push_back(span(SpanKind::Transfer, now, now + 60, k, static_cast<std::uint64_t>(k)));
        step(spans, now, k, moving ? 130 : 100);
    }
    spans.push_back(window(0, now));
    EXPECT_DOUBLE_EQ(*totalsOf(spans).inflation(), 2);
}

// Steps are as long as they are, whatever moves. Those that a transfer of 100 covers whole are the short ones: their
// mean is 0.62 of that of free steps.
TEST(RankMeterTest, TransfersShorterThanStepsDoNotSpeedThemUp) {
    std::mt19937 random(5);
    std::uniform_int_distribution<Ns> length(20, 180);
    std::vector<Span> spans;
    Ns now = 0;
    for (std::int64_t k = 1; k <= 40'000; ++k) {
        if (k % 4 == 0) spans.push_back(span(SpanKind::Transfer, now, now + 100, k, static_cast<std::uint64_t>(k)));
        step(spans, now, k, 5 * (length(random) / 5));
        if (k % 1'000 == 0) spans.push_back(window(0, now));
    }
    EXPECT_NEAR(*totalsOf(spans).inflation(), 1, 0.02);
}

// A collective begins to move when the last rank arrives; which steps that meets depends on how long they take.
TEST(RankMeterTest, AStepInWhichACollectiveWaitsForOthersIsNotFree) {
    std::vector<Span> spans;
    Ns now = 0;
    for (std::int64_t k = 1; k <= 40; ++k) {
        if (k % 2 == 0) spans.push_back(span(SpanKind::Skew, now, now + 70, k, static_cast<std::uint64_t>(k)));
        step(spans, now, k, 100);
    }
    spans.push_back(window(0, now));
    const OverlapTotals totals = totalsOf(spans);
    EXPECT_EQ(totals.steps.at(0).free, 20);
    EXPECT_EQ(totals.steps.at(0).beside, 20);
    EXPECT_FALSE(totals.inflation()) << "no byte moved";
}

TEST(RankMeterTest, AFewStepsSayNothingOfInflation) {
    for (const std::int64_t steps : {19, 20}) {
        std::vector<Span> spans;
        Ns now = 0;
        for (std::int64_t k = 1; k <= steps; ++k) step(spans, now, k, 100, static_cast<std::uint64_t>(k % 2));
        spans.push_back(window(0, now));
        EXPECT_EQ(totalsOf(spans).inflation().has_value(), steps == 20);
    }
}

// Transfers that cover only a small part of steps give no inflation: the time of the uncovered rest would decide it.
TEST(RankMeterTest, ASmallPartUnderATransferSaysNothingOfInflation) {
    for (const Ns part : {24, 25}) {
        std::vector<Span> spans;
        Ns now = 0;
        for (std::int64_t k = 1; k <= 40; ++k) {
            if (k % 2 == 0)
                spans.push_back(span(SpanKind::Transfer, now, now + part, k, static_cast<std::uint64_t>(k)));
            step(spans, now, k, 100);
        }
        spans.push_back(window(0, now));
        EXPECT_EQ(totalsOf(spans).inflation().has_value(), part == 25);
    }
}

// A long run: transfers come late, windows now and then.
std::vector<Span> longRun(std::int64_t steps, std::mt19937& random) {
    std::uniform_int_distribution<Ns> gap(0, 3), length(50, 150);
    std::vector<Span> spans;
    Ns now = 0, windowStart = 0;
    Span late;
    for (std::int64_t k = 1; k <= steps; ++k) {
        step(spans, now, k, length(random));
        spans.push_back(span(SpanKind::Wait, now, now + gap(random), k));
        now = spans.back().end + gap(random);
        if (k % 7 == 5 && late.collective != 0) spans.push_back(late);
        if (k % 7 == 2) {
            late = span(SpanKind::Transfer, now, now + 350, k, static_cast<std::uint64_t>(k));
            spans.push_back(span(SpanKind::Skew, now - 20, now, k, static_cast<std::uint64_t>(k)));
        }
        if (k % 100 == 0) {
            spans.push_back(window(windowStart, now));
            if (k % 300 == 0) now += 1000;
            windowStart = now;
        }
    }
    return spans;
}

// A forward and a backward pass in one record give the same totals as two records.
TEST(RankMeterTest, PassesInOneRecordSayWhatTwoSay) {
    std::mt19937 random(12);
    const std::vector<Span> spans = longRun(5'000, random);
    std::vector<Span> joined;
    for (const Span& one : spans) {
        if (one.kind == SpanKind::Backward) {
            joined.back().kind = SpanKind::Passes;
            joined.back().end = one.end;
        } else {
            joined.push_back(one);
        }
    }
    EXPECT_LT(joined.size(), spans.size() - 4'999);
    const OverlapTotals totals = totalsOf(spans);
    EXPECT_GT(totals.steps.at(0).free, 0);
    EXPECT_GT(totals.steps.at(0).beside, 0);
    EXPECT_EQ(totalsOf(joined), totals);
}

// The last batch of an epoch is short: its step takes a tenth of the time and is no step to compare full ones with.
TEST(RankMeterTest, OnlyPassesOfEqualWorkAreCompared) {
    for (const Ns slowed : {100, 120}) {
        std::vector<Span> spans;
        Ns now = 0;
        for (std::int64_t k = 1; k <= 200; ++k) {
            const bool last = k % 10 == 0, moving = k % 10 < 6 && !last;
            const std::size_t forward = spans.size();
            step(spans, now, k, last ? 10 : moving ? slowed : 100, moving ? static_cast<std::uint64_t>(k) : 0);
            spans[forward].bytes = last ? 6 : 64;
        }
        spans.push_back(window(0, now));
        EXPECT_DOUBLE_EQ(*totalsOf(spans).inflation(), static_cast<double>(slowed) / 100);
        EXPECT_EQ(totalsOf(spans).steps.at(6).free, 20);
    }
}

// Micro-batches, and a pass that a wait cut in two: the work of a step is that of all its parts.
TEST(RankMeterTest, TheSamplesOfAStepAreThoseOfAllItsPasses) {
    Span first = span(SpanKind::Forward, 0, 10, 1), second = span(SpanKind::Forward, 30, 40, 1);
    first.bytes = 32;
    second.bytes = 32;
    const OverlapTotals totals =
        totalsOf({first, span(SpanKind::Forward, 15, 20, 1), span(SpanKind::Backward, 20, 30, 1), second,
                  span(SpanKind::Backward, 40, 60, 1), window(0, 60)});
    EXPECT_EQ(totals.steps.at(64).free, 1);
    EXPECT_EQ(totals.steps.size(), 1U);
}

TEST(RankMeterTest, InflationNeedsBothKindsOfSteps) {
    std::vector<Span> always, never;
    Ns now = 0;
    for (std::int64_t k = 1; k <= 40; ++k) step(always, now, k, 100, static_cast<std::uint64_t>(k));
    now = 0;
    for (std::int64_t k = 1; k <= 40; ++k) step(never, now, k, 100);
    for (auto* spans : {&always, &never}) spans->push_back(window(0, now));
    EXPECT_FALSE(totalsOf(always).inflation());
    EXPECT_FALSE(totalsOf(never).inflation());
}

TEST(RankMeterTest, StepsThatAnEvaluationOrAnUnknownReduceTouchedAreLeftOut) {
    std::vector<Span> spans;
    Ns now = 0;
    step(spans, now, 1, 100);
    step(spans, now, 2, 100);
    step(spans, now, 3, 100);
    spans.push_back(span(SpanKind::Reduce, 210, 260, 3, 5));
    spans.push_back(window(0, 150));
    spans.push_back(window(200, 300));
    EXPECT_EQ(totalsOf(spans).steps.at(0).free, 1);
}

// Weights of ranks that compute at different speeds must not meet in one quotient (rank_factors = [1, 2]).
TEST(RankMeterTest, EachRankKnowsItsOwnInflation) {
    std::vector<double> inflations;
    for (const Ns length : {100, 200}) {
        std::vector<Span> spans;
        Ns now = 0;
        // The slow rank is seldom free of transfers, the fast one often.
        for (std::int64_t k = 1; k <= 60; ++k) {
            const bool moving = length == 100 ? k % 3 == 0 : k % 3 != 0;
            step(spans, now, k, length, moving ? static_cast<std::uint64_t>(k) : 0);
        }
        spans.push_back(window(0, now));
        inflations.push_back(*totalsOf(spans).inflation());
    }
    EXPECT_DOUBLE_EQ(inflations[0], 1);
    EXPECT_DOUBLE_EQ(inflations[1], 1);
}

// The slow way: what goes on at each instant.
OverlapTotals countedByInstant(const std::vector<Span>& spans) {
    constexpr unsigned kWindow = 1, kCompute = 2, kTransfer = 4, kWait = 8;
    std::vector<unsigned> at;
    const auto mark = [&](const Span& one, unsigned bit) {
        if (static_cast<std::size_t>(one.end) > at.size()) at.resize(static_cast<std::size_t>(one.end));
        for (Ns instant = one.start; instant < one.end; ++instant) at[static_cast<std::size_t>(instant)] |= bit;
    };
    for (const Span& one : spans) {
        if (one.kind == SpanKind::Window) mark(one, kWindow);
        if (isCompute(one.kind)) mark(one, kCompute);
        if (one.kind == SpanKind::Transfer) mark(one, kTransfer);
        if (one.kind == SpanKind::Wait) mark(one, kWait);
    }
    const auto count = [&](unsigned bits) {
        return std::count_if(at.begin(), at.end(), [&](unsigned present) { return (present & bits) == bits; });
    };
    return {.window = count(kWindow),
            .transfer = count(kWindow | kTransfer),
            .compute = count(kWindow | kCompute),
            .hidden = count(kWindow | kTransfer | kCompute),
            .blocked = count(kWindow | kWait)};
}

TEST(RankMeterTest, ForgettingChangesNothingWhereTransfersAreLateByLessThanTwoWindows) {
    std::mt19937 random(11);
    const std::vector<Span> spans = longRun(20'000, random);
    RankMeter meter;
    std::size_t most = 0;
    for (const Span& one : spans) {
        meter.add(one);
        most = std::max(most, meter.kept());
    }
    EXPECT_LE(most, RankMeter::kMostKept);
    EXPECT_LT(most, spans.size() / 4);
    EXPECT_FALSE(meter.isPartial());
    EXPECT_GT(meter.settledUntil(), 0);
    const OverlapTotals counted = countedByInstant(spans);
    EXPECT_GT(counted.hidden, 0);
    EXPECT_GT(counted.blocked, 0);
    EXPECT_EQ(meter.totals().window, counted.window);
    EXPECT_EQ(meter.totals().compute, counted.compute);
    EXPECT_EQ(meter.totals().transfer, counted.transfer);
    EXPECT_EQ(meter.totals().hidden, counted.hidden);
    EXPECT_EQ(meter.totals().blocked, counted.blocked);
    const auto late = std::count_if(spans.begin(), spans.end(), [](const Span& s) { return s.collective != 0; });
    EXPECT_GE(meter.totals().transfers, late / 2 - 70);
    // A meter that was saved and loaded all the time says the same.
    RankMeter again;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        again.add(spans[i]);
        if (i % 997 == 0) again = *RankMeter::load(again.save());
    }
    EXPECT_EQ(again.totals(), meter.totals());
}

TEST(RankMeterTest, WithoutWindowsMemoryIsBoundedAndNothingIsInvented) {
    RankMeter meter;
    Ns now = 0;
    for (std::int64_t k = 0; k < 50'000; ++k, now += 100) meter.add(span(SpanKind::Forward, now, now + 90, k));
    EXPECT_LE(meter.kept(), RankMeter::kMostKept);
    meter.add(window(0, now));
    EXPECT_TRUE(meter.isPartial());
    EXPECT_TRUE(RankMeter::load(meter.save())->isPartial());
    const OverlapTotals totals = meter.totals();
    EXPECT_GT(totals.window, 0);
    EXPECT_LT(totals.window, now) << "of the newest part only";
    EXPECT_EQ(totals.compute * 10, totals.window * 9) << "but that part is right";
}

TEST(RankMeterTest, AnOpenReduceHoldsItsTimeBack) {
    RankMeter meter;
    Ns now = 0;
    meter.add(span(SpanKind::Reduce, 40, 100, 0, 77));
    for (std::int64_t k = 0; k < 3000; ++k, now += 100) {
        meter.add(span(SpanKind::Forward, now, now + 90, k));
        if (k % 100 == 99) meter.add(window(now - 9900, now + 100));
    }
    EXPECT_LE(meter.settledUntil(), 40);
    meter.add(span(SpanKind::Transfer, 60, 100, 0, 77));
    EXPECT_EQ(meter.totals().hidden, 30) << "late, but not lost";
    EXPECT_FALSE(meter.isPartial());
}

// Every third one is never divided, and the meter is saved and loaded while the others are open.
TEST(RankMeterTest, ReducesComeAndAreDividedInAnyOrder) {
    std::vector<Ns> order(300);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(11);
    std::optional<OverlapTotals> expected;
    for (int round = 0; round < 10; ++round) {
        RankMeter meter;
        meter.add(span(SpanKind::Forward, 0, 3000, 1));
        for (const Ns i : order)
            meter.add(span(SpanKind::Reduce, 10 * i, 10 * i + 8, 1, static_cast<std::uint64_t>(i) + 1));
        meter = RankMeter::load(meter.save()).value();
        std::shuffle(order.begin(), order.end(), random);
        for (const Ns i : order) {
            if (i % 3 == 0) continue;
            meter.add(span(SpanKind::Transfer, 10 * i + 2, 10 * i + 8, 1, static_cast<std::uint64_t>(i) + 1));
        }
        meter.add(window(0, 3000));
        if (!expected) expected = meter.totals();
        EXPECT_EQ(meter.totals(), *expected);
        EXPECT_EQ(meter.totals().hidden, 200 * 6);
        EXPECT_EQ(RankMeter::load(meter.save()).value().totals(), *expected);
    }
}

TEST(RankMeterTest, ASpanThatComesAfterItsTimeWasCountedMakesTheMeterPartial) {
    std::mt19937 random(3);
    const std::vector<Span> spans = longRun(1'000, random);
    for (const SpanKind late : {SpanKind::Transfer, SpanKind::Reduce, SpanKind::Data}) {
        RankMeter meter;
        for (const Span& one : spans) meter.add(one);
        meter.add(span(late, 500, 600, 5, 999'999));
        EXPECT_EQ(meter.isPartial(), late != SpanKind::Data) << "no number is formed from data";
    }
}

// The steps of such a reduce are in no inflation, whether or not it still waits for a rank; it holds no later record
// back.
TEST(RankMeterTest, AReduceThatIsGivenUpKeepsItsStepsOut) {
    RankMeter meter, open;
    for (RankMeter* one : {&meter, &open}) one->add(span(SpanKind::Reduce, 40, 100, 1, 77));
    meter.giveUp(77);
    Ns now = 0;
    for (std::int64_t k = 1; k <= 3000; ++k) {
        std::vector<Span> spans;
        step(spans, now, k, 100);
        if (k % 100 == 0) spans.push_back(window(now - 10'000, now));
        for (const Span& one : spans) {
            meter.add(one);
            open.add(one);
        }
    }
    EXPECT_GT(meter.settledUntil(), 100);
    EXPECT_EQ(meter.totals().steps.at(0).free, 2999);
    EXPECT_EQ(meter.totals(), open.totals());
}

TEST(RankMeterTest, TimeThatIsSettledEarlyStaysInTheTotals) {
    RankMeter meter;
    meter.add(span(SpanKind::Forward, 0, 50, 1));
    meter.add(span(SpanKind::Transfer, 0, 40, 1, 1));
    meter.add(window(0, 60));
    meter.settleEarly(60);
    EXPECT_EQ(meter.kept(), 0U);
    meter.add(span(SpanKind::Transfer, 30, 80, 1, 2));
    meter.add(span(SpanKind::Forward, 60, 100, 2));
    meter.add(window(0, 100));
    EXPECT_EQ(meter.totals().window, 100);
    EXPECT_EQ(meter.totals().hidden, 40 + 20);
}

TEST(RankMeterTest, BytesThatAreNoMeterAreRefused) {
    RankMeter meter;
    meter.add(span(SpanKind::Forward, -5, 1'000'000'000'000, 1 << 30));
    const std::string bytes = meter.save();
    EXPECT_TRUE(RankMeter::load(bytes));
    EXPECT_FALSE(RankMeter::load(bytes.substr(0, bytes.size() - 1)));
    EXPECT_FALSE(RankMeter::load(bytes + "x"));
    EXPECT_FALSE(RankMeter::load(""));
    EXPECT_FALSE(RankMeter::load("garbage"));
}

// The bytes end with kind, step, start and length of the one span, a byte each and doubled: the lowest bit is the sign.
TEST(RankMeterTest, SpansThatNoMeterHoldsAreRefused) {
    RankMeter meter;
    meter.add(span(SpanKind::Update, 0, 50, 1));
    const std::string bytes = meter.save();
    const auto kindAt = bytes.size() - 4;
    const auto withKind = [&](int kind) {
        std::string changed = bytes;
        changed[kindAt] = static_cast<char>(2 * kind);
        return changed;
    };
    ASSERT_EQ(bytes, withKind(static_cast<int>(SpanKind::Update)));
    EXPECT_TRUE(RankMeter::load(withKind(static_cast<int>(SpanKind::Reduce)))) << "one that is never divided";
    EXPECT_FALSE(RankMeter::load(withKind(static_cast<int>(SpanKind::Eval)))) << "a kind that is not metered";
    EXPECT_FALSE(RankMeter::load(withKind(static_cast<int>(kSpanKindNames.size())))) << "no kind";
    EXPECT_FALSE(RankMeter::load(withKind(63))) << "no kind";
    std::string negative = bytes;
    negative[kindAt] = 1;
    EXPECT_FALSE(RankMeter::load(negative)) << "kind -1";
}

}  // namespace
}  // namespace dasgd
