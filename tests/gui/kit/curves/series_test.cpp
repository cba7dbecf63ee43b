#include "gui/kit/curves/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dasgd::gui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

storage::MetricSample sample(int rank, std::int64_t step, double value) {
    return {.rank = rank, .step = step, .wallS = static_cast<double>(step) / 10, .samples = step * 32, .value = value};
}

TEST(Series, AveragesRanksWhateverTheOrder) {
    Series series;
    const std::vector<storage::MetricSample> samples{sample(0, 2, 1), sample(0, 1, 4), sample(1, 1, 2),
                                                     sample(1, 2, 3)};
    series.add(samples);
    ASSERT_EQ(series.points().size(), 2U);
    EXPECT_EQ(series.points()[0].step, 1);
    EXPECT_DOUBLE_EQ(series.points()[0].value, 3);
    EXPECT_DOUBLE_EQ(series.points()[1].value, 2);
    EXPECT_EQ(series.points()[1].ranks, 2);
}

TEST(Series, ARecordOfTheWholeRunStandsAlone) {
    Series series;
    const std::vector<storage::MetricSample> samples{sample(-1, 5, 7)};
    series.add(samples);
    EXPECT_DOUBLE_EQ(series.points().front().value, 7);
    EXPECT_EQ(polylineOf(series, XAxis::Wall).x.front(), 0.5);
    EXPECT_EQ(polylineOf(series, XAxis::Samples).x.front(), 160);
}

TEST(Series, WhatIsTakenOverTimeIsAPointAnInstantHoweverLongAStepIs) {
    ASSERT_EQ(alongOf("process/cpu_cores"), Along::Time);
    ASSERT_EQ(alongOf("fault/host_down"), Along::Time);
    ASSERT_EQ(alongOf("train/loss"), Along::Steps);
    Series series(Along::Time);
    const auto at = [](int rank, double wallS, double value) {
        return storage::MetricSample{.rank = rank, .step = 3, .wallS = wallS, .value = value};
    };
    const std::vector<storage::MetricSample> samples{at(0, 2, 0.5), at(1, 2, 1.5), at(0, 1, 8), at(0, 3, 0)};
    series.add(samples);
    ASSERT_EQ(series.points().size(), 3U);
    EXPECT_EQ(polylineOf(series, XAxis::Wall).x, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(polylineOf(series, XAxis::Wall).y, (std::vector<double>{8, 1, 0}));
    EXPECT_EQ(series.points()[1].ranks, 2);
}

TEST(Series, WhatIsDrawnRisesAlongX) {
    const Polyline line = thinned({{1, 3, 2, 4}, {10, 30, 20, 40}}, 700);
    EXPECT_EQ(line.x, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(line.y, (std::vector<double>{10, 20, 30, 40}));
}

TEST(Series, SmoothingHasNoBiasAtTheStartAndKeepsGaps) {
    const std::vector<double> flat = smoothed({2, 2, kNan, 2}, 0.9);
    EXPECT_NEAR(flat[0], 2, 1e-12);
    EXPECT_NEAR(flat[3], 2, 1e-12);
    EXPECT_TRUE(std::isnan(flat[2]));
    EXPECT_EQ(smoothed({1, 5}, 0), (std::vector<double>{1, 5}));
    // Value by hand: (0.9·0.1·1 + 0.1·5) ÷ (0.9·0.1 + 0.1).
    EXPECT_NEAR(smoothed({1, 5}, 0.9)[1], (0.09 * 1 + 0.1 * 5) / 0.19, 1e-12);
    Series series;
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 1000; ++step) samples.push_back({.step = step, .value = step % 7 + 0.001 * step});
    series.add(samples);
    const Series whole = smoothed(series, 0.9);
    ASSERT_EQ(whole.points().size(), 1000U);
    EXPECT_EQ(whole.points()[400].step, series.points()[400].step);
    EXPECT_NEAR(newestSmoothed(series, 0.9).value(), whole.points().back().value, 1e-8);
    EXPECT_EQ(newestSmoothed(series, 0), series.points().back().value);
    EXPECT_FALSE(newestSmoothed({}, 0.9));
}

TEST(Series, ThinningKeepsEveryPeakAndGap) {
    Polyline line;
    for (int i = 0; i < 10'000; ++i) {
        line.x.push_back(i);
        line.y.push_back(i == 5'123 ? 100 : i == 7'001 ? -50 : i == 8'500 ? kNan : 0);
    }
    const Polyline thin = thinned(line, 100);
    EXPECT_LE(thin.x.size(), 310U);
    EXPECT_NE(std::find(thin.y.begin(), thin.y.end(), 100), thin.y.end());
    EXPECT_NE(std::find(thin.y.begin(), thin.y.end(), -50), thin.y.end());
    EXPECT_TRUE(std::any_of(thin.y.begin(), thin.y.end(), [](double y) { return std::isnan(y); }));
    EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end()));
    EXPECT_EQ(thinned({{1, 2}, {3, 4}}, 100).x.size(), 2U);
    EXPECT_TRUE(thinned({}, 100).x.empty());
}

TEST(Series, TheBulkOfValuesIsWithoutTheirPeaks) {
    std::vector<double> values(20, 5);
    values[3] = 1000;
    values[7] = -1000;
    values[9] = 6;
    const std::vector<double> bulk = bulkOf(values);
    EXPECT_EQ(*std::ranges::max_element(bulk), 5);
    EXPECT_EQ(*std::ranges::min_element(bulk), 5);
    EXPECT_EQ(bulk.size(), values.size());
    EXPECT_EQ(bulkOf({std::nan("")}).size(), 1U);
}

}  // namespace
}  // namespace dasgd::gui
