#include "gui/compare/compare_cards.h"

#include <gtest/gtest.h>

#include "gui/figures/model/figure_runs.h"
#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareCardsTest = CompareBench;

TEST_F(CompareCardsTest, ATargetIsRefusedInWordsAndTakenInBars) {
    CompareBars bars(board_, testLook());
    look();
    bars.show();
    QTest::keyClicks(&bars.target(), QStringLiteral("accuracy=90"));
    QTest::keyClick(&bars.target(), Qt::Key_Return);
    EXPECT_FALSE(board_.results.target());
    bars.target().clear();
    QTest::keyClicks(&bars.target(), QStringLiteral("accuracy=0.6"));
    QTest::keyClick(&bars.target(), Qt::Key_Return);
    ASSERT_TRUE(board_.results.target());
    ASSERT_TRUE(eventually([&] { return bars.view().chart().bars.front().value.has_value(); }));
    EXPECT_TRUE(bars.view().chart().axis.contains(QStringLiteral("accuracy ≥ 0.6")));
    EXPECT_EQ(bars.clock().text(), QStringLiteral("×: ratio to the mean of sync_sgd  ·  time to target: start-up and "
                                                  "evaluations left out"));
}

TEST_F(CompareCardsTest, ABrushedAxisFiltersEverywhere) {
    CompareMap map(board_, testLook());
    look();
    map.resize(600, 300);
    map.show();
    map.kind().choose(CompareMap::Parallel);
    ParallelView& view = map.parallel();
    EXPECT_EQ(map.focusWidget(), &view) << "a figure is of the card that was just changed";
    ASSERT_EQ(view.plot().lines.size(), 3U);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Up);  // of the algorithms, the upper half
    EXPECT_LT(board_.choice.shown().size(), 3U);
    EXPECT_EQ(view.plot().lines.size(), 3U) << "what a brush leaves out is drawn faint";
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_EQ(board_.choice.shown().size(), 3U);
}

TEST_F(CompareCardsTest, ABrushStaysWhereRunsAreAddedAndGoesWithItsPlot) {
    CompareMap map(board_, testLook());
    look();
    map.resize(600, 300);
    map.show();
    map.kind().choose(CompareMap::Parallel);
    map.parallel().setFocus();
    QTest::keyClick(&map.parallel(), Qt::Key_Up);  // sync_sgd, the last of the alphabet
    ASSERT_EQ(board_.choice.shown(), (std::vector<std::size_t>{placeOf("sync")}));
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4 && board_.results.row(3); }));
    EXPECT_EQ(board_.choice.shown(), (std::vector<std::size_t>{placeOf("sync")}));
    map.kind().choose(CompareMap::Scatter);
    EXPECT_EQ(board_.choice.shown().size(), 4U) << "nothing filters that is not seen";
}

// A figure follows what chose its runs, and keeps those that were picked.
TEST_F(CompareCardsTest, AFigureKeepsTheQueryUnlessRunsWerePicked) {
    CompareBars bars(board_, testLook());
    look();
    const QString experiment = QStringLiteral("experiment = \"delay-sweep\"");
    EXPECT_EQ(bars.figure()->filter, experiment);
    EXPECT_EQ(bars.figure()->baseline, QString()) << "that of the comparison itself";
    board_.choice.setFilter(QStringLiteral("algorithm = dasgd"));
    EXPECT_EQ(bars.figure()->filter, QStringLiteral("(%1) and (algorithm = dasgd)").arg(experiment));
    board_.choice.setFilter(QStringLiteral("seed = 1"));
    EXPECT_TRUE(bars.figure()->filter.isEmpty()) << "it keeps a configuration whole, a figure would take seed 1";
    EXPECT_EQ(bars.figure()->runs.size(), 9);
    board_.choice.setFilter({});
    const std::size_t place = placeOf("sync_sgd");
    board_.choice.setBaseline(place);
    EXPECT_EQ(bars.figure()->baseline, curveKey(*board_.choice.groups()[place].runs.front()));
    board_.choice.setHidden({place}, true);
    EXPECT_EQ(bars.figure()->runs.size(), 6) << "picked";
    QStringList all;
    for (const RunItemPtr& run : session_.runs().items()) all << run->id;
    board_.choice.setRuns(all);
    EXPECT_EQ(bars.figure()->runs.size(), 9) << "picked one by one";
    board_.choice.setRuns(all, experiment);
    EXPECT_EQ(bars.figure()->filter, experiment);
}

TEST_F(CompareCardsTest, AZoomedScatterIsExportedWithBothOfItsRanges) {
    CompareMap map(board_, testLook());
    look();
    map.kind().choose(CompareMap::Scatter);
    const auto whole = map.figure();
    ASSERT_TRUE(whole);
    EXPECT_FALSE(whole->xRange || whole->yRange);
    QTest::keyClick(&map.scatter(), Qt::Key_Plus);
    ASSERT_TRUE(map.scatter().shown().zoomed);
    const auto part = map.figure();
    ASSERT_TRUE(part) << part.error().message;
    ASSERT_TRUE(part->xRange && part->yRange);
    EXPECT_EQ(part->xRange->low, map.scatter().shown().x.first);
    EXPECT_EQ(part->yRange->low, map.scatter().shown().y.first);
    EXPECT_EQ(part->yRange->high, map.scatter().shown().y.second);
}

TEST_F(CompareCardsTest, BesideAScatterStandTheNumberAndItsUnitAlone) {
    CompareMap map(board_, testLook());
    look();
    map.kind().choose(CompareMap::Scatter);
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 200, .stepsPerEpoch = 50, .simulated = true});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4; }));
    EXPECT_TRUE(
        numberTitle(board_.results.view(), CompareNumber::StepMs).endsWith(QStringLiteral("measured and simulated")));
    EXPECT_TRUE(eventually([&] { return map.scatter().axes().y == QStringLiteral("time per step [ms]"); }));
    const auto labels = map.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* one) {
        return one->text().contains(QStringLiteral("measured and simulated"));
    })) << "the note says it";
}

TEST_F(CompareCardsTest, AMapOfOneSettingSaysWhatItNeeds) {
    CompareMap map(board_, testLook());
    look();
    map.kind().choose(CompareMap::Scatter);
    EXPECT_FALSE(map.scatter().curves().empty());
    map.kind().choose(CompareMap::Heat);
    EXPECT_FALSE(map.heat().map().cells.empty()) << "algorithm and delay";
}

TEST_F(CompareCardsTest, AMapOfRunsThatDifferInOneSettingSaysWhatItNeeds) {
    Workspace one;
    one.record({.seed = 1, .ranks = 2, .steps = 20, .stepsPerEpoch = 10});
    Feed feed(one.path());
    Session session(feed);
    CompareBoard board(session);
    CompareMap alone(board, testLook());
    const auto spec = alone.figure();
    ASSERT_FALSE(spec);
    EXPECT_EQ(spec.error().message, "a heat map needs runs that differ in two settings");
}

}  // namespace
}  // namespace dasgd::gui
