#include "gui/data/curves/run_curve.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

Series rising(int points) {
    std::vector<storage::MetricSample> samples;
    for (int i = 1; i <= points; ++i) samples.push_back({.step = i, .value = 0.01 * i});
    Series series;
    series.add(samples);
    return series;
}

TEST(RunCurve, IsInTheUnitOfItsAxisWithTheRawLineBehind) {
    const Curve plain = curveOf(rising(10), {.scale = 100});
    EXPECT_EQ(plain.line.y.back(), 10);
    EXPECT_FALSE(plain.raw);
    const Curve smooth = curveOf(rising(10), {.scale = 100, .smoothing = 0.9});
    ASSERT_TRUE(smooth.raw);
    EXPECT_EQ(smooth.raw->y.back(), 10);
    EXPECT_LT(smooth.line.y.back(), 10);
}

TEST(RunCurve, AGuideGoesFromEndToEndOfTheOthers) {
    const Curve guide = guideAt(5, {curveOf(rising(10), {}), curveOf(rising(30), {})}, QStringLiteral("whole run"));
    EXPECT_EQ(guide.line.x, (std::vector<double>{1, 30}));
    EXPECT_EQ(guide.line.y, (std::vector<double>{5, 5}));
    EXPECT_TRUE(guideAt(5, {}, {}).line.x.empty());
}

TEST(RunCurve, RanksHaveNamesAndStylesOfTheirOwn) {
    std::map<int, Series> ranks;
    for (int rank = 0; rank < 40; ++rank) ranks[rank] = rising(3);
    const std::vector<Curve> curves = rankCurves("train/loss", ranks, {}, 30);
    ASSERT_EQ(curves.size(), 30U);
    EXPECT_EQ(curves[29].name, QStringLiteral("rank 29"));
    EXPECT_EQ(rankCurves("host/cpu_cores", ranks, {}, 30)[29].name, QStringLiteral("host of rank 29"));
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (std::size_t j = i + 1; j < curves.size(); ++j)
            EXPECT_NE(curves[i].style, curves[j].style) << i << ' ' << j;
    }
}

}  // namespace
}  // namespace dasgd::gui
