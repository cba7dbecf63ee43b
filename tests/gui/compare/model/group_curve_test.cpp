#include "gui/compare/model/group_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

GroupMember member(int seed, const std::vector<double>& values, const char* status = "finished", double smoothing = 0) {
    GroupMember out{.run = makeRun(runNumber(seed), "dasgd", "", seed, status)};
    std::vector<storage::MetricSample> samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
        samples.push_back({.step = static_cast<std::int64_t>(i + 1), .value = values[i]});
    }
    out.series.add(samples);
    out.series = smoothed(out.series, smoothing);
    return out;
}

TEST(GroupCurve, TheIntervalIsStudentsOfTheMean) {
    const GroupCurve curve =
        groupCurve({member(1, {100, 400}), member(2, {200, 400}), member(3, {300, 400})}, XAxis::Step);
    ASSERT_EQ(curve.mean.mean.y, (std::vector<double>{200, 400}));
    EXPECT_EQ(curve.mean.n, (std::vector<int>{3, 3}));
    EXPECT_NEAR(curve.spreadAt(0, Spread::Std), 100, 1e-9);
    // t(0.975, 2) = 4.302653, from a table.
    EXPECT_NEAR(curve.spreadAt(0, Spread::Interval95), 4.302653 * 100 / std::sqrt(3.0), 1e-4);
    EXPECT_EQ(curve.spreadAt(1, Spread::Interval95), 0);
    EXPECT_TRUE(std::isnan(curve.spreadAt(0, Spread::None)));
}

TEST(GroupCurve, OneRunHasNoBand) {
    const GroupCurve curve = groupCurve({member(1, {1, 4})}, XAxis::Step);
    EXPECT_TRUE(std::isnan(curve.spreadAt(0, Spread::Interval95)));
    const CompareGroup group{.name = QStringLiteral("a"), .runs = {makeRun("r1", "dasgd")}};
    EXPECT_TRUE(curveOf(group, curve, Spread::Interval95).deviation.empty());
}

TEST(GroupCurve, RunsThatDidNotFinishEndTheMeanWhereTheFirstOfThemDoes) {
    const GroupCurve curve = groupCurve({member(1, {1, 2, 3, 4}), member(2, {3, 4}, "stopped")}, XAxis::Step);
    EXPECT_EQ(curve.mean.mean.y, (std::vector<double>{2, 3}));
    EXPECT_EQ(curve.mean.n, (std::vector<int>{2, 2}));
    EXPECT_TRUE(curve.note.contains(QStringLiteral("to step 2, as far as all of its seeds go")));
    EXPECT_EQ(placeInWords(XAxis::Wall, 2.4), QStringLiteral("2.40 s"));
}

TEST(GroupCurve, EachRunIsSmoothedBeforeTheMeanIsTaken) {
    const GroupCurve curve =
        groupCurve({member(1, {1, 5}, "finished", 0.9), member(2, {3, 3}, "finished", 0.9)}, XAxis::Step);
    const double first = (0.09 * 1 + 0.1 * 5) / 0.19;  // of the first run, at step 2
    ASSERT_EQ(curve.mean.mean.y.size(), 2U);
    EXPECT_DOUBLE_EQ(curve.mean.mean.y[0], 2);
    EXPECT_NEAR(curve.mean.mean.y[1], (first + 3) / 2, 1e-9);
    EXPECT_NEAR(curve.spreadAt(1, Spread::Std), std::abs(first - 3) / 2, 1e-9) << "of two half their range";
    EXPECT_NEAR(curve.seeds[0].y[1], first, 1e-9);
}

TEST(GroupCurve, TwoSeedsAreDrawnBehindTheirMeanAsTheirSpreadSaysNothingElse) {
    const CompareGroup group{.name = QStringLiteral("a"), .runs = {makeRun("r1", "dasgd")}};
    const GroupCurve two = groupCurve({member(1, {1, 5}), member(2, {3, 3})}, XAxis::Step);
    EXPECT_EQ(curveOf(group, two, Spread::Std).behind.size(), 2U);
    EXPECT_TRUE(curveOf(group, two, Spread::None).behind.empty());
    EXPECT_EQ(curveOf(group, two, Spread::Interval95).deviation, (std::vector<double>{1, 1})) << "no interval of two";
    const GroupCurve three = groupCurve({member(1, {1, 5}), member(2, {3, 3}), member(3, {2, 4})}, XAxis::Step);
    EXPECT_TRUE(curveOf(group, three, Spread::Std).behind.empty());
    EXPECT_EQ(curveOf(group, three, Spread::Std, true).behind.size(), 3U);
}

TEST(GroupCurve, ARunWithoutTheRecordIsSaid) {
    const GroupCurve curve = groupCurve({member(1, {1, 2}), member(2, {})}, XAxis::Step);
    EXPECT_EQ(curve.mean.n, (std::vector<int>{1, 1}));
    EXPECT_EQ(curve.note, QStringLiteral("1 of 2 runs have no such record"));
}

TEST(GroupCurve, TheCursorReadsTheNearestPointWithinTheCurve) {
    const GroupCurve curve = groupCurve({member(1, {5, 6, 7})}, XAxis::Step);
    EXPECT_EQ(curve.pointAt(2.2), 1U);
    EXPECT_EQ(curve.pointAt(2.8), 2U);
    EXPECT_FALSE(curve.pointAt(3.5));
    EXPECT_FALSE(groupCurve({}, XAxis::Step).pointAt(1));
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
    const GroupCurve apart = groupCurve({lateMember(1, 0), lateMember(2, 50)}, XAxis::Wall);
    EXPECT_TRUE(apart.mean.mean.x.empty());
    EXPECT_EQ(apart.note, QStringLiteral("no mean: ") + nothingSharedInWords(XAxis::Wall));
    EXPECT_EQ(groupCurve({lateMember(1, 0), lateMember(2, 50)}, XAxis::Step).note, QString());
}

TEST(GroupCurve, IsWholeWhereItsEndIsThatOfTraining) {
    EXPECT_TRUE(groupCurve({member(1, {1, 2}), member(2, {1, 2})}, XAxis::Step).whole);
    EXPECT_FALSE(groupCurve({member(1, {1, 2}, "stopped")}, XAxis::Step).whole);
    const GroupCurve late = groupCurve({lateMember(1, 0), lateMember(2, 0.2)}, XAxis::Wall);
    EXPECT_TRUE(late.whole);
    EXPECT_EQ(late.mean.mean.y.back(), 4) << "where both end";
    EXPECT_DOUBLE_EQ(late.mean.mean.x.back(), 0.5);
    EXPECT_EQ(late.mean.n.back(), 2);
    EXPECT_TRUE(late.note.contains(QStringLiteral("its seeds end between 0.400 s and 0.600 s")))
        << late.note.toStdString();
    GroupMember gap = member(1, {});
    std::vector<storage::MetricSample> samples;
    for (int step = 1; step <= 20; ++step) {
        if (step != 5) samples.push_back({.step = step, .value = 1});
    }
    gap.series.add(samples);
    const GroupCurve curve = groupCurve({gap, member(2, std::vector<double>(20, 1))}, XAxis::Step);
    EXPECT_TRUE(curve.mean.cut);
    EXPECT_TRUE(curve.whole) << "a step that one lacks is not the end";
}

}  // namespace
}  // namespace dasgd::gui
