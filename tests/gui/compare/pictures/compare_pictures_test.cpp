#include "gui/compare/pictures/compare_pictures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/figures/model/figure_spec.h"
#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using ComparePicturesTest = CompareBench;

TEST_F(ComparePicturesTest, TheBestBarIsTheFirstAndSaysHowManyItIsOf) {
    look();
    const GroupBars bars = groupBars(board_.results.view(), CompareNumber::StepMs);
    ASSERT_EQ(bars.chart.bars.size(), 3U);
    EXPECT_LE(*bars.chart.bars[0].value, *bars.chart.bars[1].value);
    EXPECT_TRUE(bars.chart.bars[0].interval);
    for (std::size_t i = 0; i < 3; ++i) {
        if (bars.groups[i] == placeOf("d 3")) {
            EXPECT_EQ(bars.chart.bars[i].count, QStringLiteral("2 of 3"));
        }
        if (bars.groups[i] == placeOf("sync")) {
            EXPECT_EQ(bars.chart.bars[i].ratio, QStringLiteral("× 1.00"));
        }
    }
    const GroupBars none = groupBars(board_.results.view(), CompareNumber::SecondsToTarget);
    EXPECT_FALSE(none.chart.bars[0].value);
    EXPECT_EQ(none.chart.bars[0].words, QStringLiteral("no target set"));
}

TEST_F(ComparePicturesTest, SpeedUpsAreBarsOverTheBaselineWithTheirIntervals) {
    look();
    const GroupBars bars = groupBars(board_.results.view(), CompareNumber::SpeedUp);
    EXPECT_EQ(bars.chart.axis, QStringLiteral("speed-up over sync_sgd [×]"));
    ASSERT_EQ(bars.chart.bars.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        const Bar& bar = bars.chart.bars[i];
        const ComparedGroup* row = board_.results.row(bars.groups[i]);
        ASSERT_TRUE(bar.value);
        EXPECT_NEAR(*bar.value, 1 / row->stepRatio.mean, 1e-12);
        EXPECT_TRUE(bar.ratio.isEmpty()) << "it is the bar";
        EXPECT_EQ(bar.interval.has_value(), bars.groups[i] == placeOf("d 1")) << "the other has two seeds";
        if (i > 0) {
            EXPECT_GE(*bars.chart.bars[i - 1].value, *bar.value) << "the fastest first";
        }
    }
}

// The runs have no validation set.
TEST_F(ComparePicturesTest, TheBestAccuracySaysWhereItWasChosen) {
    look();
    EXPECT_EQ(numberTitle(board_.results.view(), CompareNumber::BestAccuracy),
              QStringLiteral("best accuracy [%], chosen on the test set"));
    EXPECT_EQ(numberTitle(board_.results.view(), CompareNumber::FinalLoss), QStringLiteral("final loss"));
}

TEST_F(ComparePicturesTest, WhatIsNotReadYetIsNotCalledMissing) {
    look();
    board_.results.setTarget(*parseTarget("accuracy=0.99"));
    const auto words = [&] {
        return groupBars(board_.results.view(), CompareNumber::SecondsToTarget).chart.bars[0].words;
    };
    EXPECT_EQ(words(), QStringLiteral("reading …"));
    ASSERT_TRUE(eventually([&] { return board_.results.isTargetRead(); }));
    EXPECT_NE(words(), QStringLiteral("reading …"));
}

// Three configurations: d 1 reached the target with all its runs, in 20 s each; d 2 with two of three, in 10 s; d 3
// with none. One more run of d 2 was stopped.
struct PartlyReached {
    PartlyReached() {
        std::vector<ComparedRun> runs;
        for (const int delay : {2, 1, 3}) {
            const std::string number = std::to_string(delay);
            CompareGroup group;
            group.key = "d" + number;
            group.name = QStringLiteral("d ") + QString::number(delay);
            for (const int seed : {1, 2, 3, 4}) {
                if (seed == 4 && delay != 2) continue;
                const std::string status = seed == 4 ? "stopped" : "finished";
                group.runs.push_back(makeRun("d" + number + "s" + std::to_string(seed), "dasgd",
                                             "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = " + number + "\n",
                                             seed, status));
                const RunItem& run = *group.runs.back();
                ComparedRun one{.runId = run.row.runId, .algorithm = "dasgd", .finished = status == "finished"};
                one.settings = {
                    {"algorithm.name", "dasgd"}, {"algorithm.delay", number}, {"train.seed", std::to_string(seed)}};
                if (delay == 1) one.secondsToTarget = 20;
                if (delay == 2 && seed < 3) one.secondsToTarget = 10;
                runs.push_back(std::move(one));
            }
            compared.keys.push_back(group.key);
            groups.push_back(std::move(group));
        }
        compared.target = parseTarget("accuracy=0.9").value();
        compared.comparison = compareRuns(runs, "").value();
        view.shown = {0, 1, 2};
        view.target = compared.target;
    }
    std::vector<CompareGroup> groups;
    Compared compared;
    CompareView view{groups, &compared};
};

TEST(ComparePictures, AMeanOverThoseThatReachedTheTargetAloneHasNoBar) {
    const PartlyReached some;
    ASSERT_EQ(some.compared.comparison.groups.size(), 3U);
    const GroupBars bars = groupBars(some.view, CompareNumber::SecondsToTarget);
    EXPECT_EQ(bars.groups, (std::vector<std::size_t>{1, 0, 2})) << "after those that all reached, though it is less";
    EXPECT_EQ(bars.chart.bars[0].value, 20);
    EXPECT_FALSE(bars.chart.bars[1].value);
    EXPECT_FALSE(bars.chart.bars[1].interval);
    EXPECT_TRUE(bars.chart.bars[1].words.startsWith(QStringLiteral("reached by 2 of 3 finished: 10")))
        << bars.chart.bars[1].words.toStdString();
    EXPECT_EQ(bars.chart.bars[1].count, QStringLiteral("2 of 4"));
    EXPECT_EQ(bars.chart.bars[2].words, QStringLiteral("not reached"));
}

TEST(ComparePictures, AMeanOverThoseThatReachedTheTargetAloneHasNoColourAndNoPlaceOnAnAxis) {
    const PartlyReached some;
    const GroupMap map = groupMap(some.view, CompareNumber::SecondsToTarget, "algorithm.period", "algorithm.delay");
    ASSERT_EQ(map.map.cells.size(), 3U);
    EXPECT_EQ(map.map.cells[0].value, 20);
    const HeatCell& cell = map.map.cells[1];
    EXPECT_FALSE(cell.value);
    EXPECT_EQ(cell.text, QStringLiteral("2 of 3"));
    EXPECT_EQ(cell.under, QStringLiteral("reached"));
    EXPECT_TRUE(cell.words.contains(QStringLiteral("reached by 2 of 3 finished: 10"))) << cell.words.toStdString();
    const GroupMap shared = groupMap(some.view, CompareNumber::SecondsToTarget, "algorithm.name", "algorithm.period");
    ASSERT_EQ(shared.map.cells.size(), 1U);
    EXPECT_FALSE(shared.map.cells[0].value);
    EXPECT_EQ(shared.map.cells[0].text, QStringLiteral("mixed"));
    const QString axis = numberWords()[static_cast<int>(CompareNumber::SecondsToTarget)];
    const ParallelPlot plot = groupLines(some.view, some.view.shown, {QStringLiteral("algorithm.delay"), axis});
    ASSERT_EQ(plot.axes.size(), 2U);
    EXPECT_FALSE(plot.lines[0].values[1]);
    EXPECT_EQ(plot.lines[1].values[1], 20);
    EXPECT_EQ(plot.axes[1].low, 20) << "nor does it stretch the axis";
}

TEST(ComparePictures, TheNoiseOfAMapIsThatOfTheMeansInItsCells) {
    PartlyReached some;
    const auto mapOf = [&](const Sample& sample, TimeSource time) {
        for (ComparedGroup& group : some.compared.comparison.groups) {
            group.stepMs = sample;
            group.times = {time};
        }
        return groupMap(some.view, CompareNumber::StepMs, "algorithm.period", "algorithm.delay").map;
    };
    EXPECT_NEAR(mapOf(summarise({10, 12, 14}), TimeSource::Measured).noise, 2 / std::sqrt(3), 1e-12);
    const HeatMap simulated = mapOf(summarise({10, 10}), TimeSource::Simulated);
    EXPECT_EQ(simulated.noise, 0);
    EXPECT_TRUE(simulated.exact);
    EXPECT_FALSE(mapOf(summarise({10}), TimeSource::Simulated).exact) << "another seed may draw other steps";
    EXPECT_FALSE(mapOf(summarise({10, 10}), TimeSource::Measured).exact);
    for (ComparedGroup& group : some.compared.comparison.groups) group.finalLoss = summarise({0.5, 0.5});
    EXPECT_FALSE(groupMap(some.view, CompareNumber::FinalLoss, "algorithm.period", "algorithm.delay").map.exact)
        << "two seeds that happen to agree";
    EXPECT_EQ(simulated.whole, 0);
    EXPECT_EQ(groupMap(some.view, CompareNumber::BestAccuracy, "algorithm.period", "algorithm.delay").map.whole, 100);
}

// A cell of one seed scatters as a run does, whatever others have.
TEST(ComparePictures, AMapOfFewSeedsIsAsNoisyAsMostOfItsCells) {
    PartlyReached some;
    std::vector<ComparedGroup>& groups = some.compared.comparison.groups;
    for (ComparedGroup& group : groups) group.stepMs = summarise({11});
    groups[0].stepMs = summarise({10, 12, 14});
    const auto map = groupMap(some.view, CompareNumber::StepMs, "algorithm.period", "algorithm.delay").map;
    EXPECT_DOUBLE_EQ(map.noise, 2);
}

TEST(ComparePictures, ATimeThatIsMissingWasNotTimed) {
    PartlyReached some;
    for (const Bar& bar : groupBars(some.view, CompareNumber::StepMs).chart.bars) {
        EXPECT_EQ(bar.words, QStringLiteral("not timed"));
    }
    for (const Bar& bar : groupBars(some.view, CompareNumber::MegabytesSent).chart.bars) {
        EXPECT_NE(bar.words, QStringLiteral("not timed"));
    }
}

TEST(ComparePictures, ALossThatIsNaNIsNotCalledMissing) {
    PartlyReached some;
    storage::RunRow row = some.groups[2].runs.front()->row;
    row.lossIsNaN = true;
    some.groups[2].runs.front() = makeRunItem(row);
    const GroupBars bars = groupBars(some.view, CompareNumber::FinalLoss);
    ASSERT_EQ(bars.chart.bars.size(), 3U);
    for (const Bar& bar : bars.chart.bars) {
        EXPECT_EQ(bar.words, bar.label == QStringLiteral("d 3") ? QStringLiteral("diverged: the loss is NaN")
                                                                : QStringLiteral("not recorded"));
    }
}

TEST(ComparePictures, ACountThatAllBarsShareIsSaidOnce) {
    BarChart chart;
    chart.bars = {{.label = QStringLiteral("dasgd"), .count = QStringLiteral("3 of 3")},
                  {.label = QStringLiteral("sync_sgd"), .count = QStringLiteral("3 of 3")}};
    BarChart differing = chart;
    EXPECT_EQ(sayCounts(chart), QStringLiteral("n = 3"));
    for (const Bar& bar : chart.bars) EXPECT_EQ(bar.count, QString());
    differing.bars[1].count = QStringLiteral("2 of 3");
    EXPECT_EQ(sayCounts(differing), QString());
    EXPECT_EQ(differing.bars[0].count, QStringLiteral("n = 3"));
    EXPECT_EQ(differing.bars[1].count, QStringLiteral("n = 2 of 3"));
}

TEST_F(ComparePicturesTest, AMapHasACellForEachPairOfValues) {
    look();
    const GroupMap map = groupMap(board_.results.view(), CompareNumber::StepMs, "algorithm.name", "algorithm.delay");
    ASSERT_EQ(map.map.cells.size(), 2U) << "sync_sgd has no delay";
    EXPECT_EQ(map.map.columns, (QStringList{QStringLiteral("d 1"), QStringLiteral("d 3")}));
    EXPECT_NEAR(*map.map.cells[1].value, board_.results.row(placeOf("d 3"))->stepMs.mean, 1e-9);
    EXPECT_EQ(map.map.cells[1].under, QStringLiteral("n 2"));
    EXPECT_TRUE(map.map.cells[1].incomplete);
    EXPECT_FALSE(map.map.cells[0].incomplete);
}

TEST(ComparePictures, LabelsOfAMapTellEveryValueFromTheOthers) {
    std::vector<CompareGroup> groups;
    for (const std::string weight : {"0.1234567", "0.1234568"}) {
        CompareGroup group;
        group.runs = {makeRun(weight, "dasgd", "[algorithm]\nname = \"dasgd\"\nlocal_weight = " + weight + "\n")};
        groups.push_back(group);
    }
    CompareView view(groups, nullptr);
    view.shown = {0, 1};
    const GroupMap map = groupMap(view, CompareNumber::StepMs, "algorithm.name", "algorithm.local_weight");
    EXPECT_EQ(map.map.rows, (QStringList{QStringLiteral("dasgd")}));
    EXPECT_EQ(map.map.columns, (QStringList{QStringLiteral("ξ 0.1234567"), QStringLiteral("ξ 0.1234568")}));
}

TEST_F(ComparePicturesTest, ACellOfMeasuredAndSimulatedTimesHasNoMean) {
    look();
    const QString simulated = workspace_.record(
        {.experiment = "elsewhere", .ranks = 2, .delay = 3, .steps = 200, .stepsPerEpoch = 50, .simulated = true});
    QStringList all{simulated};
    for (const RunItemPtr& run : session_.runs().items()) all << run->id;
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 10; }));
    board_.choice.setRuns(all);
    ASSERT_EQ(board_.choice.groups().size(), 4U);
    ASSERT_TRUE(eventually([&] {
        for (std::size_t i = 0; i < 4; ++i) {
            if (!board_.results.row(i)) return false;
        }
        return true;
    }));
    const auto delay3 = [&](CompareNumber number) {
        return groupMap(board_.results.view(), number, "algorithm.name", "algorithm.delay").map.cells.back();
    };
    EXPECT_FALSE(delay3(CompareNumber::StepMs).value);
    EXPECT_EQ(delay3(CompareNumber::StepMs).text, QStringLiteral("mixed"));
    for (std::size_t i = 0; i < 4; ++i) {
        if (!board_.choice.groups()[i].simulated()) board_.choice.setHidden({i}, true);
    }
    EXPECT_TRUE(delay3(CompareNumber::StepMs).value);
    EXPECT_EQ(delay3(CompareNumber::StepMs).under, QStringLiteral("n 1 sim"));
}

// A mean over a setting that is neither row nor column would be of whatever happens to be shown.
TEST_F(ComparePicturesTest, ACellOfSeveralConfigurationsHasNoMeanAndSaysWhatDiffers) {
    look();
    const GroupMap map = groupMap(board_.results.view(), CompareNumber::StepMs, "algorithm.name", "algorithm.period");
    ASSERT_FALSE(map.map.cells.empty());
    const auto at = std::ranges::find(map.groups, std::size_t{2}, [](const auto& groups) { return groups.size(); });
    ASSERT_NE(at, map.groups.end()) << "d 1 and d 3 share their period";
    const HeatCell& cell = map.map.cells[static_cast<std::size_t>(at - map.groups.begin())];
    EXPECT_FALSE(cell.value);
    EXPECT_EQ(cell.text, QStringLiteral("mixed"));
    EXPECT_TRUE(cell.words.contains(QStringLiteral("no mean: 2 configurations"))) << cell.words.toStdString();
    EXPECT_EQ(map.mixedKeys, (std::set<std::string>{"algorithm.delay"}));
    EXPECT_EQ(mapNotes(board_.results.view(), map).back(),
              QStringLiteral("mixed: several configurations that differ in algorithm.delay, no mean; choose one, as by "
                             "the filter algorithm.delay = 1"));
    board_.choice.setFilter(QStringLiteral("algorithm.delay = 1"));
    const GroupMap one = groupMap(board_.results.view(), CompareNumber::StepMs, "algorithm.name", "algorithm.period");
    ASSERT_EQ(one.map.cells.size(), 1U);
    EXPECT_TRUE(one.map.cells[0].value);
    EXPECT_EQ(one.map.cells[0].under, QStringLiteral("n 3"));
    EXPECT_EQ(mapNotes(board_.results.view(), one),
              QStringList{QStringLiteral("each cell: mean over the finished seeds of one configuration")});
}

TEST(ComparePictures, ACellOfRunsThatDidNotFinishIsToldFromOneWithoutTheNumber) {
    PartlyReached some;
    for (RunItemPtr& run : some.groups[0].runs) {
        storage::RunRow row = run->row;
        row.status = "running";
        run = makeRunItem(row);
    }
    const GroupMap map = groupMap(some.view, CompareNumber::StepMs, "algorithm.period", "algorithm.delay");
    ASSERT_EQ(map.map.cells.size(), 3U);
    EXPECT_EQ(map.map.cells[1].text, QStringLiteral("0 of 4"));
    EXPECT_EQ(map.map.cells[1].under, QStringLiteral("finished"));
    EXPECT_EQ(map.map.cells[2].text, QStringLiteral("–"));
}

TEST_F(ComparePicturesTest, AScatterHasOnePointAFinishedRun) {
    look();
    const RunPoints points = runPoints(board_.results.view(), CompareNumber::StepMs, CompareNumber::FinalLoss);
    std::size_t runs = 0;
    for (std::size_t i = 0; i < points.curves.size(); ++i) {
        EXPECT_EQ(points.curves[i].line.x.size(), points.runs[i].size());
        runs += points.runs[i].size();
    }
    EXPECT_EQ(runs, 8U);
}

TEST_F(ComparePicturesTest, ParallelLinesLackWhatTheirAlgorithmHasNot) {
    look();
    const ParallelPlot plot = groupLines(board_.results.view(), {0, 1, 2}, usualAxes(board_.choice.groups()));
    ASSERT_GE(plot.axes.size(), 3U);
    EXPECT_EQ(plot.axes[0].kind, ParallelAxis::Kind::Category);
    std::size_t delay = 0;
    while (delay < plot.axes.size() && plot.axes[delay].title != QStringLiteral("d")) ++delay;
    ASSERT_LT(delay, plot.axes.size());
    EXPECT_FALSE(plot.lines[placeOf("sync")].values[delay]);
    EXPECT_EQ(plot.lines[placeOf("d 3")].values[delay], 3);
}

TEST_F(ComparePicturesTest, ParallelAxesStandInTheOrderThatIsAskedFor) {
    look();
    const QStringList axes{QStringLiteral("final-loss"), QStringLiteral("algorithm.delay"), QStringLiteral("no.such"),
                           QStringLiteral("step-ms")};
    const ParallelPlot plot = groupLines(board_.results.view(), {0, 1, 2}, axes);
    ASSERT_EQ(plot.axes.size(), 3U) << "what no configuration has is no axis";
    EXPECT_EQ(plot.axes[0].key, "final-loss");
    EXPECT_EQ(plot.axes[1].key, "algorithm.delay");
    EXPECT_EQ(plot.axes[2].key, "step-ms");
    EXPECT_NEAR(*plot.lines[0].values[2], board_.results.row(0)->stepMs.mean, 1e-9);
}

}  // namespace
}  // namespace dasgd::gui
