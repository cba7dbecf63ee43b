#include "core/analysis/runs/equal_samples.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace dasgd {
namespace {

EvaluationCurve curve(const std::vector<std::pair<std::int64_t, double>>& points) {
    std::vector<EvaluationCurve::Point> samples;
    for (const auto& [count, value] : points) samples.push_back({.samples = count, .value = value});
    return EvaluationCurve(samples);
}

TEST(EqualSamples, LiesBetweenTheEvaluationsOnEitherSide) {
    const EvaluationCurve loss = curve({{0, 2.0}, {400, 1.0}, {800, 0.5}});
    EXPECT_EQ(loss.at(400), 1.0);
    EXPECT_EQ(loss.at(500), 0.875);
    EXPECT_EQ(loss.at(0), 2.0);
    EXPECT_EQ(loss.at(801), std::nullopt) << "nothing is known beyond the last evaluation";
    EXPECT_EQ(curve({}).at(0), std::nullopt);
    EXPECT_EQ(curve({{100, 1.0}}).at(50), std::nullopt);
}

TEST(EqualSamples, TheBestIsTheBestSoFar) {
    const EvaluationCurve accuracy = curve({{0, 0.1}, {400, 0.9}, {800, 0.7}, {1200, 0.95}});
    EXPECT_EQ(accuracy.largestUpTo(800), 0.9);
    EXPECT_EQ(accuracy.largestUpTo(1200), 0.95);
    EXPECT_DOUBLE_EQ(accuracy.largestUpTo(200).value(), 0.5);
    EXPECT_EQ(accuracy.largestUpTo(1201), std::nullopt);
}

TEST(EqualSamples, WhatWasChosenIsThatOfTheLastEvaluation) {
    const EvaluationCurve chosen = curve({{0, 0.1}, {400, 0.9}, {800, 0.7}});
    EXPECT_EQ(chosen.lastUpTo(400), 0.9);
    EXPECT_EQ(chosen.lastUpTo(799), 0.9);
    EXPECT_EQ(chosen.lastUpTo(800), 0.7);
    EXPECT_EQ(chosen.lastUpTo(801), std::nullopt);
    EXPECT_EQ(curve({{100, 0.5}}).lastUpTo(50), std::nullopt);
}

TEST(EqualSamples, LeavesOutWhatIsNotANumber) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(curve({{0, 1.0}, {100, none}, {200, 3.0}}).at(100), 2.0);
}

TEST(EqualSamples, TheCommonNumberIsThatOfTheShortestRun) {
    const EvaluationCurve none, longer = curve({{0, 1}, {4002, 1}}), shorter = curve({{0, 1}, {4000, 1}});
    EXPECT_EQ(commonSamples({&longer, &shorter, &none}), 4000);
    EXPECT_EQ(commonSamples({&none}), std::nullopt);
}

}  // namespace
}  // namespace dasgd
