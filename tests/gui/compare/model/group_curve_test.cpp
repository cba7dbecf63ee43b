#include "gui/compare/model/group_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

GroupMember member(int seed, const std::vector<double>& values, const char* status = "finished") {
    GroupMember out{.run = makeRun(runNumber(seed), "dasgd", "", seed, status)};
    std::vector<storage::MetricSample> samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
        samples.push_back({.step = static_cast<std::int64_t>(i + 1), .value = values[i]});
    }
    out.series.add(samples);
    return out;
}

TEST(GroupCurve, TheIntervalIsStudentsOfTheMean) {
    const GroupCurve curve = groupCurve({member(1, {1, 4}), member(2, {2, 4}), member(3, {3, 4})}, XAxis::Step, 100);
    ASSERT_EQ(curve.mean.mean.y, (std::vector<double>{200, 400}));
    EXPECT_EQ(curve.mean.n, (std::vector<int>{3, 3}));
    EXPECT_NEAR(curve.spreadAt(0, Spread::Deviation), 100, 1e-9);
    // t(0.975, 2) = 4.302653, from a table.
    EXPECT_NEAR(curve.spreadAt(0, Spread::Interval), 4.302653 * 100 / std::sqrt(3.0), 1e-4);
    EXPECT_EQ(curve.spreadAt(1, Spread::Interval), 0);
    EXPECT_TRUE(std::isnan(curve.spreadAt(0, Spread::None)));
}

TEST(GroupCurve, OneRunHasNoBand) {
    const GroupCurve curve = groupCurve({member(1, {1, 4})}, XAxis::Step, 1);
    EXPECT_TRUE(std::isnan(curve.spreadAt(0, Spread::Interval)));
    const CompareGroup group{.name = QStringLiteral("a"), .runs = {makeRun("r1", "dasgd")}};
    EXPECT_TRUE(curveOf(group, curve, Spread::Interval).deviation.empty());
}

TEST(GroupCurve, RunsThatDidNotFinishEndTheMeanWhereTheFirstOfThemDoes) {
    const GroupCurve curve = groupCurve({member(1, {1, 2, 3, 4}), member(2, {3, 4}, "stopped")}, XAxis::Step, 1);
    EXPECT_EQ(curve.mean.mean.y, (std::vector<double>{2, 3}));
    EXPECT_EQ(curve.mean.n, (std::vector<int>{2, 2}));
    EXPECT_TRUE(curve.note.contains(QStringLiteral("to step 2, as far as all of its seeds go")));
    EXPECT_EQ(placeInWords(XAxis::Wall, 2.4), QStringLiteral("2.40 s"));
}

TEST(GroupCurve, EachRunIsSmoothedBeforeTheMeanIsTaken) {
    const GroupCurve curve = groupCurve({member(1, {1, 5}), member(2, {3, 3})}, XAxis::Step, 10, 0.9);
    const double first = (0.09 * 1 + 0.1 * 5) / 0.19;  // of the first run, at step 2
    ASSERT_EQ(curve.mean.mean.y.size(), 2U);
    EXPECT_DOUBLE_EQ(curve.mean.mean.y[0], 20);
    EXPECT_NEAR(curve.mean.mean.y[1], 10 * (first + 3) / 2, 1e-9);
    EXPECT_NEAR(curve.spreadAt(1, Spread::Deviation), 10 * std::abs(first - 3) / std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(curve.seeds[0].y[1], 10 * first, 1e-9);
}

TEST(GroupCurve, ARunWithoutTheRecordIsSaid) {
    const GroupCurve curve = groupCurve({member(1, {1, 2}), member(2, {})}, XAxis::Step, 1);
    EXPECT_EQ(curve.mean.n, (std::vector<int>{1, 1}));
    EXPECT_EQ(curve.note, QStringLiteral("1 of 2 runs have no such record"));
}

TEST(GroupCurve, TheCursorReadsTheNearestPointWithinTheCurve) {
    const GroupCurve curve = groupCurve({member(1, {5, 6, 7})}, XAxis::Step, 1);
    EXPECT_EQ(curve.pointAt(2.2), 1U);
    EXPECT_EQ(curve.pointAt(2.8), 2U);
    EXPECT_FALSE(curve.pointAt(3.5));
    EXPECT_FALSE(groupCurve({}, XAxis::Step, 1).pointAt(1));
}

// Records of a run whose first step is so many seconds late.
GroupMember lateMember(int seed, double lateS) {
    GroupMember out = member(seed, {});
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 4; ++step) {
        samples.push_back({.step = step, .wallS = lateS + 0.1 * step, .value = 1.0 * step});
    }
    out.series.add(samples);
    return out;
}

TEST(GroupCurve, SeedsWithoutACommonTimeAreSaidToHaveNoMean) {
    const GroupCurve apart = groupCurve({lateMember(1, 0), lateMember(2, 50)}, XAxis::Wall, 1);
    EXPECT_TRUE(apart.mean.mean.x.empty());
    EXPECT_EQ(apart.note, QStringLiteral("no mean: ") + nothingSharedInWords(XAxis::Wall));
    EXPECT_EQ(groupCurve({lateMember(1, 0), lateMember(2, 50)}, XAxis::Step, 1).note, QString());
}

TEST(GroupCurve, IsWholeWhereItsEndIsThatOfTraining) {
    EXPECT_TRUE(groupCurve({member(1, {1, 2}), member(2, {1, 2})}, XAxis::Step, 1).whole);
    EXPECT_FALSE(groupCurve({member(1, {1, 2}, "stopped")}, XAxis::Step, 1).whole);
    EXPECT_FALSE(groupCurve({lateMember(1, 0), lateMember(2, 0.2)}, XAxis::Wall, 1).whole) << "cut to what both have";
    GroupMember gap = member(1, {});
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 20; ++step) {
        if (step != 5) samples.push_back({.step = step, .value = 1});
    }
    gap.series.add(samples);
    const GroupCurve curve = groupCurve({gap, member(2, std::vector<double>(20, 1))}, XAxis::Step, 1);
    EXPECT_TRUE(curve.mean.cut);
    EXPECT_TRUE(curve.whole) << "a step that one lacks is not the end";
}

}  // namespace
}  // namespace dasgd::gui
