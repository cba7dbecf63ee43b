#include "gui/data/curves/seed_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/statistics.h"

namespace dasgd::gui {
namespace {

// Series of one record a tenth of a second, 32 samples a step.
Series seriesOf(const std::vector<std::pair<std::int64_t, double>>& values, double secondsPerStep = 0.1) {
    std::vector<storage::MetricSample> samples;
    for (const auto& [step, value] : values) {
        samples.push_back({.step = step,
                           .epoch = static_cast<double>(step) / 10,
                           .wallS = static_cast<double>(step) * secondsPerStep,
                           .samples = step * 32,
                           .value = value});
    }
    Series series;
    series.add(samples);
    return series;
}

SeedMean meanOf(const std::vector<Series>& runs, XAxis axis = XAxis::Step) {
    std::vector<const Series*> members;
    for (const Series& run : runs) members.push_back(&run);
    return seedMean(members, axis);
}

TEST(SeedMean, SeveralRecordsOfOneStepAreNotSeveralRuns) {
    const auto busy = [](double value) {
        Series series(Along::Time);
        std::vector<storage::MetricSample> samples;
        for (int i = 1; i <= 4; ++i) samples.push_back({.step = 1, .wallS = 1.0 * i, .value = value});
        series.add(samples);
        return series;
    };
    const SeedMean one = meanOf({busy(1)});
    EXPECT_EQ(one.n, (std::vector<int>{1, 1, 1, 1}));
    const SeedMean two = meanOf({busy(1), busy(3)});
    for (const int n : two.n) EXPECT_EQ(n, 2);
    for (const double y : two.mean.y) EXPECT_DOUBLE_EQ(y, 2);
    // Bounds on clocks are recorded without samples.
    EXPECT_EQ(meanOf({busy(1), busy(3)}, XAxis::Samples).n, std::vector{2});
}

TEST(SeedMean, IsTakenStepByStepWhereTheRunsRecordTogether) {
    const SeedMean mean =
        meanOf({seriesOf({{1, 1}, {2, 10}}), seriesOf({{1, 3}, {2, 20}}), seriesOf({{1, 5}, {2, 60}})});
    EXPECT_EQ(mean.mean.x, (std::vector<double>{1, 2}));
    EXPECT_EQ(mean.mean.y, (std::vector<double>{3, 30}));
    EXPECT_EQ(mean.n, (std::vector<int>{3, 3}));
    EXPECT_DOUBLE_EQ(mean.deviation[0], 2);
    EXPECT_EQ(mean.window, 0);
}

TEST(SeedMean, SaysAtEveryPointHowManyRunsMadeIt) {
    std::vector<std::pair<std::int64_t, double>> whole, short1;
    for (int step = 1; step <= 20; ++step) {
        whole.emplace_back(step, 2);
        if (step < 20) short1.emplace_back(step, 4);
    }
    const SeedMean mean = meanOf({seriesOf(whole), seriesOf(short1)});
    ASSERT_EQ(mean.n, std::vector<int>(20, 2)) << "no point is of one run alone";
    EXPECT_EQ(mean.mean.x[18], 19);
    EXPECT_EQ(mean.mean.x[19], 19.5) << "the mean of the ends";
    EXPECT_EQ(mean.mean.y[19], 3);
    EXPECT_EQ(mean.firstEnd, 19);
    EXPECT_EQ(mean.lastEnd, 20);
    EXPECT_TRUE(mean.endsApart());
}

TEST(SeedMean, ItsNumbersAreThoseOfTablesToTheLastBit) {
    const std::vector<double> values{0.1, 0.2, 0.7};
    std::vector<Series> runs;
    for (const double value : values) runs.push_back(seriesOf({{1, 1}, {2, value}}));
    const SeedMean mean = meanOf(runs);
    const Sample sample = summarise(values);
    EXPECT_EQ(mean.mean.y.back(), sample.mean);
    EXPECT_EQ(mean.deviation.back(), *sample.std);
}

// Throughput comes some five times a second, at other steps in each run.
TEST(SeedMean, GathersWhatWasRecordedAtDifferentTimesInEqualWindows) {
    std::vector<std::pair<std::int64_t, double>> first, second;
    for (int i = 1; i <= 50; ++i) {
        first.emplace_back(20 * i, 100);
        second.emplace_back(20 * i - 7, 200);
    }
    for (const XAxis axis : {XAxis::Step, XAxis::Wall}) {
        const SeedMean mean = meanOf({seriesOf(first), seriesOf(second)}, axis);
        EXPECT_GE(mean.mean.x.size(), 30U) << "two runs without a common step still have a mean all along";
        EXPECT_GT(mean.window, 0);
        for (std::size_t i = 0; i < mean.n.size(); ++i) {
            EXPECT_EQ(mean.n[i], 2) << i;
            EXPECT_DOUBLE_EQ(mean.mean.y[i], 150) << i;
        }
    }
}

TEST(SeedMean, InventsNothingForWindowsThatNobodyRecorded) {
    std::vector<std::pair<std::int64_t, double>> first, second;
    for (int i = 1; i <= 100; ++i) {
        if (i > 40 && i <= 60) continue;  // a long pause of both
        first.emplace_back(10 * i, 1);
        if (i < 90) second.emplace_back(10 * i + 3, 3);
    }
    const SeedMean mean = meanOf({seriesOf(first), seriesOf(second)});
    for (std::size_t i = 0; i < mean.mean.x.size(); ++i) {
        EXPECT_FALSE(mean.mean.x[i] > 410 && mean.mean.x[i] < 605) << mean.mean.x[i];
    }
    EXPECT_TRUE(mean.endsApart());
    EXPECT_EQ(mean.n, std::vector<int>(mean.n.size(), 2)) << "no mean of one is joined";
    const double before = *std::prev(mean.mean.x.end(), 2);
    EXPECT_LT(before, 905) << "the second run had ended";
    EXPECT_GT(before, 870);
    EXPECT_EQ(mean.mean.x.back(), (893 + 1000) / 2.0);
}

// A slow run reaches a step later: over time, what stands at one instant is averaged, not what stands at one step.
TEST(SeedMean, OverTimeTheRunsAreComparedAtTheSameTime) {
    std::vector<std::pair<std::int64_t, double>> line;
    for (int step = 1; step <= 100; ++step) line.emplace_back(step, step);
    const SeedMean mean = meanOf({seriesOf(line, 0.1), seriesOf(line, 0.2)}, XAxis::Wall);
    const auto at = std::lower_bound(mean.mean.x.begin(), mean.mean.x.end(), 5.0) - mean.mean.x.begin();
    EXPECT_NEAR(mean.mean.y[static_cast<std::size_t>(at)], (50 + 25) / 2.0, 3);
    EXPECT_EQ(mean.n.front(), 2);
    EXPECT_LE(*std::prev(mean.mean.x.end(), 2), 10.2) << "afterwards only the slow one is still running";
    EXPECT_DOUBLE_EQ(mean.mean.x.back(), 15);
    EXPECT_EQ(mean.mean.y.back(), 100) << "both end there";
    EXPECT_EQ(mean.fewest(), 2);
    EXPECT_TRUE(mean.endsApart());
}

// A tenth of the steps take ten times as long, at other times in each run: one evaluates while the other records.
TEST(SeedMean, ASeedThatEvaluatesWhileTheOtherRecordsIsInEveryPoint) {
    const auto evaluating = [](int phase, double value) {
        Series series;
        std::vector<storage::MetricSample> samples;
        double at = 0;
        for (int step = 1; step <= 400; ++step) {
            at += step % 20 == phase ? 1 : 0.1;
            samples.push_back({.step = step, .wallS = at, .value = value});
        }
        series.add(samples);
        return series;
    };
    const SeedMean mean = meanOf({evaluating(3, 1), evaluating(11, 3)}, XAxis::Wall);
    EXPECT_EQ(mean.n, std::vector<int>(mean.n.size(), 2));
    EXPECT_GT(mean.n.size(), 60U) << "a window is as wide as the evaluation only where one evaluates";
    for (const double y : mean.mean.y) EXPECT_DOUBLE_EQ(y, 2) << "no jump to the curve of one seed";
    EXPECT_TRUE(std::is_sorted(mean.mean.x.begin(), mean.mean.x.end()));
    EXPECT_GT(*std::prev(mean.mean.x.end(), 2), 56) << "the mean goes on to the end";
}

TEST(SeedMean, AStepThatOneRunLacksInItsMiddleIsLeftOut) {
    std::vector<std::pair<std::int64_t, double>> whole, holed;
    for (int step = 1; step <= 40; ++step) {
        whole.emplace_back(step, 2);
        if (step != 17) holed.emplace_back(step, 4);
    }
    const SeedMean mean = meanOf({seriesOf(whole), seriesOf(holed)});
    EXPECT_EQ(mean.n, std::vector<int>(39, 2));
    EXPECT_EQ(std::ranges::count(mean.mean.x, 17), 0);
    EXPECT_TRUE(mean.cut);
}

TEST(SeedMean, ARunThatDivergedStaysVisible) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const SeedMean mean = meanOf({seriesOf({{1, 1}, {2, nan}}), seriesOf({{1, 3}, {2, 1}})});
    EXPECT_EQ(mean.mean.y[0], 2);
    EXPECT_TRUE(std::isnan(mean.mean.y[1]));
    EXPECT_EQ(mean.n[1], 2);
}

TEST(SeedMean, OfOneRunAndOfNone) {
    const SeedMean one = meanOf({seriesOf({{1, 1}, {2, 2}})}, XAxis::Wall);
    EXPECT_EQ(one.mean.y, (std::vector<double>{1, 2}));
    EXPECT_EQ(one.n, (std::vector<int>{1, 1}));
    EXPECT_TRUE(meanOf({}).n.empty());
    EXPECT_EQ(meanOf({}).most(), 0);
    EXPECT_TRUE(meanOf({Series(), Series()}, XAxis::Wall).n.empty());
    EXPECT_EQ(upToStep(seriesOf({{1, 1}, {2, 2}, {3, 3}}), 2).points().size(), 2U);
}

TEST(SeedMean, RunsWithoutACommonStretchOfTheAxisHaveNoMeanAndItIsSaidWhereTheyHaveOne) {
    const Series early = seriesOf({{1, 1}, {2, 2}, {3, 3}, {4, 4}});
    Series late;
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 4; ++step) samples.push_back({.step = step, .wallS = 50 + 0.1 * step, .value = 1});
    late.add(samples);
    const SeedMean mean = meanOf({early, late}, XAxis::Wall);
    EXPECT_TRUE(mean.mean.x.empty());
    EXPECT_TRUE(mean.nothingShared());
    EXPECT_EQ(nothingSharedInWords(XAxis::Wall),
              QStringLiteral("seeds have no stretch of time in common (over steps or samples they can be compared)"));
    EXPECT_FALSE(meanOf({early, late}, XAxis::Step).nothingShared());
    EXPECT_FALSE(nothingSharedInWords(XAxis::Step).contains(QStringLiteral("over steps")));
    EXPECT_FALSE(SeedMean{}.nothingShared()) << "nothing was recorded at all";
}

}  // namespace
}  // namespace dasgd::gui
