#include "gui/compare/compare_chart.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareChartTest = CompareBench;

TEST_F(CompareChartTest, DrawsTheShownGroupsWithTheirBands) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    for (const Curve& curve : chart.plot().curves()) {
        EXPECT_EQ(curve.deviation.size(), curve.line.x.size());
        EXPECT_EQ(curve.behind.size(), curve.n.back() == 2 ? 2U : 0U) << "two seeds are their own spread";
    }
    chart.setSeeds(true);
    EXPECT_EQ(chart.plot().curves()[0].behind.size(), 3U);
    board_.choice.setHidden({0}, true);
    EXPECT_EQ(chart.plot().curves().size(), 2U);
    board_.choice.highlight(1);
    EXPECT_TRUE(chart.plot().curves()[0].primary);
    EXPECT_TRUE(chart.plot().curves()[1].faded);
    board_.curves.setSpread(Spread::None);
    EXPECT_TRUE(chart.plot().curves()[0].deviation.empty());
}

// The losses of single minibatches rank nothing.
TEST_F(CompareChartTest, WhatIsNoisyIsSmoothedHereInTheLegendAndInTheFigure) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    EXPECT_EQ(chart.key().smoothing, 0.9);
    EXPECT_EQ(chart.figure().smoothing, 0.9);
    EXPECT_TRUE(chart.plot().axes().y.contains(QStringLiteral("average, weight 0.9")))
        << chart.plot().axes().y.toStdString();
    EXPECT_EQ(board_.curves.cursorKey().smoothing, 0.9) << "what the legend reads";
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    const auto smooth = chart.plot().curves()[0].line;
    chart.smoothing().choose(0);
    EXPECT_EQ(board_.curves.cursorKey().smoothing, 0);
    ASSERT_TRUE(
        eventually([&] { return chart.plot().curves().size() == 3 && chart.plot().curves()[0].line.y != smooth.y; }));
    EXPECT_EQ(chart.plot().curves()[0].line.x, smooth.x);
    EXPECT_EQ(chart.figure().smoothing, 0);
    chart.setMetric("eval/accuracy");
    EXPECT_EQ(chart.key().smoothing, 0) << "few values are drawn as they are";
}

TEST_F(CompareChartTest, AFigureKeepsThePartThatIsZoomedToInBothDirections) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    EXPECT_FALSE(chart.figure().xRange);
    EXPECT_FALSE(chart.figure().yRange);
    chart.show();
    QTest::keyClick(&chart.plot(), Qt::Key_Plus);
    ASSERT_TRUE(chart.plot().shown().zoomed);
    const FigureSpec spec = chart.figure();
    ASSERT_TRUE(spec.xRange && spec.yRange);
    EXPECT_EQ(std::pair(spec.xRange->low, spec.xRange->high), chart.plot().shown().x);
    EXPECT_EQ(std::pair(spec.yRange->low, spec.yRange->high), chart.plot().shown().y);
}

TEST_F(CompareChartTest, SaysWhatItsClockCountsAndWhereABandReachesZero) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    const auto said = [&] { return chart.plot().accessibleDescription(); };
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    EXPECT_FALSE(said().contains(QStringLiteral("wall time"))) << said().toStdString();
    chart.axis().choose(static_cast<int>(XAxis::Wall));
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    EXPECT_TRUE(said().contains(QStringLiteral("wall time: start-up and evaluations included")))
        << said().toStdString();
    EXPECT_EQ(chart.plot().axes().x, QStringLiteral("wall time [s]"));
    chart.axis().choose(static_cast<int>(XAxis::Training));
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    EXPECT_TRUE(said().contains(QStringLiteral("training time: start-up and evaluations left out")))
        << said().toStdString();
    EXPECT_EQ(chart.plot().axes().x, QStringLiteral("training time [s]"));
    EXPECT_EQ(chart.figure().x, XAxis::Training);
    const bool reaches = !bandsAtZeroInWords(chart.plot().curves(), chart.plot().axes()).isEmpty();
    EXPECT_EQ(said().contains(QStringLiteral("interval reaches 0")), reaches);
}

// A configuration that sends less is further to the left at equal losses.
TEST_F(CompareChartTest, LossIsDrawnAgainstSamplesAndBytesOnEitherScale) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    for (const XAxis axis : {XAxis::Samples, XAxis::BytesSent}) {
        chart.axis().choose(static_cast<int>(axis));
        ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
        EXPECT_EQ(chart.figure().x, axis);
        EXPECT_TRUE(
            chart.plot().axes().x.contains(axis == XAxis::Samples ? QStringLiteral("samples") : QStringLiteral("sent")))
            << chart.plot().axes().x.toStdString();
        for (const Curve& curve : chart.plot().curves()) {
            const auto& x = curve.line.x;
            ASSERT_GT(x.size(), 2U);
            EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
            EXPECT_GT(x.back(), x.front());
        }
    }
    for (const int log : {1, 0}) {
        chart.scale().choose(log);
        EXPECT_EQ(chart.plot().axes().logY, log == 1);
        EXPECT_EQ(chart.figure().logY, log == 1);
    }
}

TEST_F(CompareChartTest, ChartsOfOneAxisShareTheCursor) {
    CompareChart one("train/loss", XAxis::Step, board_, testLook());
    CompareChart other("eval/accuracy", XAxis::Step, board_, testLook());
    look();
    ASSERT_TRUE(eventually([&] { return one.plot().curves().size() == 3 && other.plot().curves().size() == 3; }));
    one.show();
    QTest::keyClick(&one.plot(), Qt::Key_Right, Qt::ShiftModifier);
    ASSERT_TRUE(one.plot().cursor());
    EXPECT_EQ(other.plot().cursor(), one.plot().cursor());
    other.axis().choose(static_cast<int>(XAxis::Wall));
    EXPECT_FALSE(other.plot().cursor());
}

TEST_F(CompareChartTest, WhereNothingIsShownItSaysSoAndNotThatNothingIsRecorded) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    look();
    board_.choice.setHidden({0, 1, 2}, true);
    EXPECT_EQ(chart.plot().emptyText(), kNothingShown);
    board_.choice.setHidden({0, 1, 2}, false);
    board_.choice.setFilter(QStringLiteral("algorithm = none"));
    EXPECT_EQ(chart.plot().emptyText(), kNothingShown);
    board_.choice.setFilter({});
    EXPECT_NE(chart.plot().emptyText(), kNothingShown);
}

TEST_F(CompareChartTest, AHiddenConfigurationThatIsPointedAtDimsNoOther) {
    CompareChart chart("train/loss", XAxis::Step, board_, testLook());
    look();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    board_.choice.setHidden({0}, true);
    board_.choice.highlight(0);
    for (const Curve& curve : chart.plot().curves()) EXPECT_FALSE(curve.faded);
    board_.choice.setHidden({0}, false);
    EXPECT_TRUE(chart.plot().curves()[0].primary) << "once it is shown";
}

// The seeds of dasgd began 100 s apart: over time they have no mean.
TEST(CompareChartApart, AConfigurationThatIsNotDrawnIsNamedWithTheRemedy) {
    Workspace workspace;
    for (const int seed : {1, 2}) {
        workspace.record({.algorithm = "sync_sgd", .seed = seed, .ranks = 1});
        workspace.record({.seed = seed, .ranks = 1, .lateS = 100.0 * seed});
    }
    Feed feed(workspace.path());
    Session session(feed);
    CompareBoard board(session);
    CompareChart chart("train/loss", XAxis::Wall, board, testLook());
    ASSERT_TRUE(eventually([&] { return session.runs().items().size() == 4; }));
    board.choice.setWatching(true);
    board.choice.takeNewestExperiment();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 1 && board.curves.curve(chart.key(), 1); }));
    const QString words = QStringLiteral("whose seeds have no stretch of time in common");
    const auto said = [&] { return chart.plot().accessibleDescription(); };
    ASSERT_TRUE(eventually([&] { return said().contains(words); })) << said().toStdString();
    EXPECT_TRUE(said().startsWith(QStringLiteral("not drawn: dasgd"))) << said().toStdString();
    EXPECT_TRUE(said().contains(QStringLiteral("over steps or samples"))) << said().toStdString();
    // Alone, that nothing was recorded would be wrong.
    board.choice.setFilter(QStringLiteral("algorithm = dasgd"));
    EXPECT_TRUE(chart.plot().curves().empty());
    EXPECT_TRUE(chart.plot().emptyText().startsWith(QStringLiteral("No mean of dasgd")));
    EXPECT_TRUE(chart.plot().emptyText().contains(QStringLiteral("no stretch of time in common")));
    for (const XAxis shared : {XAxis::Step, XAxis::Training}) {
        chart.axis().choose(static_cast<int>(shared));
        ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 1; }));
        EXPECT_FALSE(said().contains(QStringLiteral("not drawn"))) << said().toStdString();
    }
}

TEST_F(CompareChartTest, AConfigurationWithoutTheRecordIsNamed) {
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20, .stepsPerEpoch = 50});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 10; }));
    CompareChart chart("eval/accuracy", XAxis::Step, board_, testLook());
    board_.choice.setWatching(true);
    board_.choice.takeNewestExperiment();
    ASSERT_TRUE(eventually([&] { return chart.plot().curves().size() == 3; }));
    ASSERT_TRUE(eventually([&] {
        return chart.plot().accessibleDescription().contains(QStringLiteral(", without such a record"));
    })) << chart.plot().accessibleDescription().toStdString();
    EXPECT_TRUE(chart.plot().accessibleDescription().startsWith(QStringLiteral("not drawn: local_sgd")));
}

TEST(CompareChartApart, RunsWithoutEvaluationsAreDrawnOverTheTimeThatIsKnown) {
    Workspace workspace;
    workspace.record({.ranks = 1, .steps = 20, .stepsPerEpoch = 100});
    Feed feed(workspace.path());
    Session session(feed);
    CompareBoard board(session);
    CompareChart chart("train/loss", XAxis::Training, board, testLook());
    ASSERT_TRUE(eventually([&] { return session.runs().items().size() == 1; }));
    board.choice.setWatching(true);
    board.choice.takeNewestExperiment();
    const auto says = [&](const char* words) { return chart.plot().emptyText().endsWith(QLatin1String(words)); };
    EXPECT_TRUE(eventually([&] { return chart.plot().curves().size() == 1; })) << "of its own accord";
    EXPECT_EQ(chart.axis().chosen(), static_cast<int>(XAxis::Wall));
    EXPECT_EQ(chart.figure().x, XAxis::Wall);
    chart.axis().choose(static_cast<int>(XAxis::Training));
    EXPECT_TRUE(eventually([&] { return says("Wall time is known of all."); }))
        << chart.plot().emptyText().toStdString();
    EXPECT_TRUE(chart.plot().curves().empty());
    chart.axis().choose(static_cast<int>(XAxis::Wall));
    EXPECT_TRUE(eventually([&] { return chart.plot().curves().size() == 1; }));
}

// Two charts beside each other over two kinds of time are compared by eye. The second has nothing recorded, which says
// nothing of its time.
TEST(CompareChartApart, ChartsOfAPageFallBackToOneTimeAndSayWhy) {
    Workspace workspace;
    workspace.record({.ranks = 1, .steps = 20, .stepsPerEpoch = 100});
    Feed feed(workspace.path());
    Session session(feed);
    CompareBoard board(session);
    CompareChart loss("train/loss", XAxis::Training, board, testLook());
    CompareChart accuracy("eval/accuracy", XAxis::Training, board, testLook());
    CompareChart chosen("train/loss", XAxis::Step, board, testLook());
    ASSERT_TRUE(eventually([&] { return session.runs().items().size() == 1; }));
    board.choice.setWatching(true);
    board.choice.takeNewestExperiment();
    EXPECT_TRUE(eventually([&] { return loss.plot().curves().size() == 1; }));
    EXPECT_TRUE(eventually([&] { return accuracy.axis().chosen() == static_cast<int>(XAxis::Wall); }));
    EXPECT_EQ(loss.axis().chosen(), static_cast<int>(XAxis::Wall));
    EXPECT_EQ(chosen.axis().chosen(), static_cast<int>(XAxis::Step));
    EXPECT_TRUE(loss.plot().accessibleDescription().contains(kFallbackClock))
        << loss.plot().accessibleDescription().toStdString();
    EXPECT_FALSE(chosen.plot().accessibleDescription().contains(kFallbackClock));
}

}  // namespace
}  // namespace dasgd::gui
