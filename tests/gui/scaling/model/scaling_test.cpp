// Lines of the Scaling view: which there are, their names and their styles.
#include "gui/scaling/model/scaling.h"

#include <gtest/gtest.h>

#include <QSet>
#include <cmath>
#include <set>
#include <tuple>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {
namespace {

using test::ScalingSpec;

RunItemPtr item(const ScalingSpec& spec, const std::string& startedAt = "2026-11-21T12:00:00.000Z") {
    const storage::RunInfo info = test::scalingInfo(
        spec, spec.algorithm + "-" + spec.backend + "-" + spec.experiment + "-p" + std::to_string(spec.workers) + "-b" +
                  std::to_string(spec.batch) + "-s" + std::to_string(spec.seed));
    storage::RunRow row;
    row.runId = info.runId;
    row.experiment = info.experiment;
    row.algorithm = info.algorithm;
    row.seed = info.seed;
    row.workers = info.workers;
    row.backend = info.backend;
    row.timeSimulated = info.timeSimulated;
    row.status = spec.status;
    row.startedAt = startedAt;
    row.config = info.config;
    return makeRunItem(std::move(row));
}

std::vector<const ScalingLine*> all(const std::vector<ScalingLine>& lines) {
    std::vector<const ScalingLine*> pointers;
    for (const ScalingLine& line : lines) pointers.push_back(&line);
    return pointers;
}

// Draws the lines with the styles that these runs alone make.
std::vector<DrawnLine> drawnByThemselves(const std::vector<const ScalingLine*>& lines, const TimesById& times,
                                         Scaling scaling, const std::optional<Target>& target) {
    StyleBook book;
    std::vector<RunItemPtr> runs;
    for (const ScalingLine* line : lines) runs.insert(runs.end(), line->runs.begin(), line->runs.end());
    book.assign(runs);
    return drawnLines(lines, times, scaling, target, [&](const RunItem& run) { return book.styleOf(run); });
}

TimesById stepTimes(const std::vector<RunItemPtr>& runs, double stepMs) {
    TimesById times;
    for (const RunItemPtr& run : runs) times[run->row.runId] = {.stepMs = stepMs};
    return times;
}

TEST(ScalingLines, RunsThatDifferInWorkersAndSeedAreOne) {
    const auto lines = scalingLines(
        std::vector{item({.workers = 4}), item({.workers = 1}), item({.workers = 4, .seed = 2}),
                    item({.algorithm = "sync_sgd", .workers = 4}), item({.workers = 8, .status = "failed"})},
        Scaling::Weak);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].workers, (std::vector{1, 4}));
    EXPECT_EQ(lines[0].runs.size(), 3U);
    EXPECT_TRUE(lines[0].scales());
    EXPECT_FALSE(lines[1].scales());
    EXPECT_EQ(lines[0].inWords(), QStringLiteral("simulated  ·  1–4 workers, 2 sizes"));
    EXPECT_EQ(lines[1].inWords(), QStringLiteral("simulated  ·  4 workers only"));
}

TEST(ScalingLines, RunsThatDidNotFinishAreCountedWithTheirLineAndNamed) {
    const auto lines = scalingLines(
        std::vector{item({.workers = 4}), item({.workers = 1}), item({.workers = 8, .status = "failed"}),
                    item({.workers = 4, .seed = 2, .status = "stopped"}), item({.workers = 2, .status = "running"}),
                    item({.workers = 2, .seed = 2, .status = "queued"}),
                    item({.algorithm = "sync_sgd", .workers = 4, .status = "failed"})},
        Scaling::Weak);
    ASSERT_EQ(lines.size(), 1U) << "without a finished run there is no line";
    EXPECT_EQ(lines[0].runs.size(), 2U);
    EXPECT_EQ(lines[0].unfinished.size(), 2U);
    EXPECT_EQ(lines[0].live.size(), 2U);
    EXPECT_EQ(lines[0].workers, (std::vector{1, 4})) << "a size that no finished run has is no size of the line";
    QStringList words = leftOutInWords(drawnByThemselves(all(lines), {}, Scaling::Weak, std::nullopt));
    words.sort();
    EXPECT_EQ(words, (QStringList{QStringLiteral("dasgd, 2 workers, seed 1 is at step 0"),
                                  QStringLiteral("dasgd, 2 workers, seed 2 waits for its turn"),
                                  QStringLiteral("dasgd, 4 workers, seed 2 was stopped at step 0"),
                                  QStringLiteral("dasgd, 8 workers, seed 1 failed at step 0")}));
}

// `dasgd calibrate` once gave its runs the name of the experiment that they were for.
TEST(ScalingLines, AProbeOfTheClusterIsNoPoint) {
    const auto lines = scalingLines(std::vector{item({.workers = 4}), item({.algorithm = "probe", .workers = 4}),
                                                item({.algorithm = "probe", .workers = 8})},
                                    Scaling::Weak);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].runs.size(), 1U);
    EXPECT_EQ(lines[0].newest().row.algorithm, "dasgd");
}

TEST(ScalingLines, StrongLinesShareTheBatch) {
    const std::vector runs{item({.workers = 1, .batch = 32}), item({.workers = 4, .batch = 8}),
                           item({.workers = 4, .batch = 32})};
    const auto strong = scalingLines(runs, Scaling::Strong);
    ASSERT_EQ(strong.size(), 2U);
    EXPECT_EQ(strong[0].runs.size(), 2U);
    EXPECT_EQ(scalingLines(runs, Scaling::Weak).size(), 2U);
}

TEST(ScalingLines, TheNewestExperimentThatScalesComesFirst) {
    std::vector<RunItemPtr> runs{item({.experiment = "old", .workers = 1}, "2026-01-01"),
                                 item({.experiment = "old", .workers = 2}, "2026-01-01")};
    for (const char* algorithm : {"sync_sgd", "local_sgd", "easgd"}) {
        for (const int workers : {1, 2}) {
            runs.push_back(item({.experiment = "new", .algorithm = algorithm, .workers = workers}, "2026-02-02"));
        }
    }
    runs.push_back(item({.experiment = "newest", .algorithm = "independent", .workers = 1}, "2026-03-03"));
    const auto lines = scalingLines(runs, Scaling::Weak);
    ASSERT_EQ(lines.size(), 5U);
    const auto first = firstLines(lines);
    ASSERT_EQ(first.size(), 3U);
    for (const ScalingLine* line : first) EXPECT_EQ(line->newest().row.experiment, "new");
    EXPECT_EQ(firstLines(lines, 2).size(), 2U);
    EXPECT_TRUE(firstLines({}).empty());
}

TEST(ScalingLines, WhatAJobMadeComesLast) {
    const std::vector<RunItemPtr> runs{
        item({.experiment = "mine", .workers = 2}, "2026-01-01"),
        item({.experiment = "mine (advice)", .algorithm = "easgd", .workers = 4}, "2026-02-02"),
        item({.experiment = "mine (advice)", .algorithm = "easgd", .workers = 1}, "2026-02-02")};
    const auto lines = scalingLines(runs, Scaling::Weak);
    ASSERT_EQ(firstLines(lines).size(), 1U);
    EXPECT_EQ(firstLines(lines).front()->newest().row.experiment, "mine");
}

TEST(ScalingLines, MeasuredAndSimulatedOfOneWorkShareTheirColour) {
    std::vector<RunItemPtr> runs;
    for (const char* backend : {"gloo", "virtual"}) {
        for (const char* algorithm : {"dasgd", "sync_sgd"}) {
            for (const int workers : {1, 2}) {
                runs.push_back(item({.algorithm = algorithm, .backend = backend, .workers = workers}));
            }
        }
    }
    const auto lines = scalingLines(runs, Scaling::Weak);
    const auto drawn = drawnByThemselves(all(lines), stepTimes(runs, 10), Scaling::Weak, std::nullopt);
    ASSERT_EQ(drawn.size(), 4U);
    std::map<QString, CurveStyle> byName;
    for (const DrawnLine& line : drawn) byName[line.name] = line.style;
    ASSERT_EQ(byName.size(), 4U);
    EXPECT_EQ(byName.at(QStringLiteral("dasgd (measured)")), byName.at(QStringLiteral("dasgd (simulated)")));
    EXPECT_NE(byName.at(QStringLiteral("dasgd (measured)")), byName.at(QStringLiteral("sync_sgd (measured)")));
    for (const Curve& curve : scalingCurves(drawn, ScalingPlot::Throughput)) {
        if (curve.kind == Curve::Kind::Guide) continue;
        EXPECT_EQ(curve.hollow, curve.name.contains(QLatin1String("simulated")));
    }
    EXPECT_EQ(scalingAxis(drawn, ScalingPlot::Throughput, {}), QStringLiteral("samples/s"));
}

// Figures with times over an emulated link say that it is emulated.
TEST(ScalingLines, SayWhereTheLinkIsEmulated) {
    const std::string link = "[cluster.link]\nbandwidth = \"200Mbps\"\n";
    std::vector<RunItemPtr> runs;
    for (const char* backend : {"gloo", "virtual"}) {
        for (const std::string& more : {std::string(), link}) {
            runs.push_back(item({.algorithm = more.empty() ? "easgd" : "dasgd", .backend = backend, .more = more}));
        }
    }
    const auto lines = scalingLines(runs, Scaling::Weak);
    std::set<QString> origins;
    for (const ScalingLine& line : lines) origins.insert(line.origin());
    EXPECT_EQ(origins, (std::set<QString>{QStringLiteral("simulated"), QStringLiteral("measured"),
                                          QStringLiteral("measured, link emulated")}));
    const auto drawn = drawnByThemselves(all(lines), stepTimes(runs, 10), Scaling::Weak, std::nullopt);
    EXPECT_EQ(scalingAxis(drawn, ScalingPlot::Throughput, {}), QStringLiteral("samples/s")) << "not all are";
    std::vector<DrawnLine> emulated;
    for (const DrawnLine& line : drawn) {
        if (line.line->linkEmulated()) emulated.push_back(line);
    }
    ASSERT_EQ(emulated.size(), 1U);
    EXPECT_TRUE(emulated[0].line->inWords().startsWith(QLatin1String("measured, link emulated, gloo")));
    EXPECT_EQ(scalingAxis(emulated, ScalingPlot::Throughput, {}), QStringLiteral("samples/s, link emulated"));
    EXPECT_TRUE(pointInWords(emulated[0], emulated[0].points.front(), {}).contains(QLatin1String("link emulated")));
}

TEST(ScalingLines, NoTwoLookTheSameHoweverMany) {
    std::vector<RunItemPtr> runs;
    for (int i = 0; i < 40; ++i) {
        runs.push_back(item({.workers = 2, .more = "[network]\nbandwidth = \"" + std::to_string(i + 1) + "Gbps\"\n"}));
    }
    const auto lines = scalingLines(runs, Scaling::Weak);
    const auto drawn = drawnByThemselves(all(lines), stepTimes(runs, 10), Scaling::Weak, std::nullopt);
    ASSERT_EQ(drawn.size(), 40U);
    std::set<std::tuple<int, int, int>> looks;
    QSet<QString> names;
    for (const DrawnLine& line : drawn) {
        looks.emplace(line.style.color, line.style.dash, line.style.marker);
        names << line.name;
    }
    EXPECT_EQ(looks.size(), 40U);
    EXPECT_EQ(names.size(), 40);
}

TEST(ScalingLines, LinesOfOtherAlgorithmsHaveOtherMarkers) {
    std::vector<RunItemPtr> runs;
    for (const char* algorithm : {"dasgd", "sync_sgd", "easgd", "slowmo"})
        runs.push_back(item({.algorithm = algorithm, .workers = 2}));
    const auto lines = scalingLines(runs, Scaling::Weak);
    std::map<std::string, CurveStyle> styles;
    for (const RunItemPtr& run : runs) styles[run->row.algorithm] = {static_cast<int>(styles.size()), 4, 4};
    const auto drawn = drawnLines(all(lines), stepTimes(runs, 10), Scaling::Weak, std::nullopt,
                                  [&](const RunItem& run) { return styles.at(run.row.algorithm); });
    std::set<int> markers, colors;
    for (const DrawnLine& line : drawn) {
        markers.insert(line.style.marker);
        colors.insert(line.style.color);
    }
    EXPECT_EQ(markers.size(), 4U);
    EXPECT_EQ(colors.size(), 4U) << "which stay";
}

TEST(ScalingLines, StrongLinesOfOtherBatchesAreTold) {
    const std::vector runs{item({.workers = 1, .batch = 32}), item({.workers = 2, .batch = 16}),
                           item({.workers = 1, .batch = 64}), item({.workers = 2, .batch = 32})};
    const auto lines = scalingLines(runs, Scaling::Strong);
    const auto drawn = drawnByThemselves(all(lines), {}, Scaling::Strong, std::nullopt);
    QStringList names{drawn[0].name, drawn[1].name};
    names.sort();
    EXPECT_TRUE(names[0].contains(QStringLiteral("batch\u00a032\u00a0in\u00a0all"))) << names[0].toStdString();
    EXPECT_TRUE(names[1].contains(QStringLiteral("batch\u00a064\u00a0in\u00a0all"))) << names[1].toStdString();
}

// A configuration keeps the colour that it has on the other pages, whatever else is drawn.
TEST(ScalingLines, ALineHasTheColourOfItsConfigurationOnEveryPage) {
    std::vector<RunItemPtr> runs;
    for (const char* experiment : {"scaling", "other"}) {
        for (const char* algorithm : {"dasgd", "sync_sgd", "easgd"}) {
            const int batch = std::string(experiment) == "other" ? 64 : 32;
            runs.push_back(item({.experiment = experiment, .algorithm = algorithm, .workers = 4, .batch = batch}));
        }
    }
    StyleBook book;
    book.assign(runs);
    const auto lines = scalingLines(runs, Scaling::Weak);
    const auto drawn =
        drawnLines(all(lines), {}, Scaling::Weak, {}, [&](const RunItem& run) { return book.styleOf(run); });
    ASSERT_EQ(drawn.size(), 6U);
    for (const DrawnLine& line : drawn) {
        EXPECT_EQ(line.style.color, book.styleOf(line.line->newest()).color) << line.name.toStdString();
    }
}

TEST(ScalingLines, AnAlgorithmKeepsItsOwnStyleWhenMoreWorkersAreTried) {
    std::vector<RunItemPtr> runs;
    for (const int workers : {1, 2, 4}) {
        for (const char* algorithm : {"dasgd", "sync_sgd", "local_sgd"}) {
            runs.push_back(item({.algorithm = algorithm, .workers = workers}));
        }
        StyleBook book;
        book.assign(runs);
        const auto lines = scalingLines(runs, Scaling::Weak);
        for (const DrawnLine& line : drawnByThemselves(all(lines), {}, Scaling::Weak, {})) {
            const auto first = std::ranges::find(runs, line.line->newest().row.algorithm,
                                                 [](const RunItemPtr& run) { return run->row.algorithm; });
            EXPECT_EQ(line.style, book.styleOf(**first)) << line.name.toStdString() << ", " << workers << " workers";
        }
    }
}

class ScalingCurvesTest : public ::testing::Test {
protected:
    // Two seeds each at 1 and at 4 workers; at 4 the second seed does not reach the target.
    ScalingCurvesTest() {
        for (const int workers : {1, 4}) {
            for (const int seed : {1, 2}) {
                runs_.push_back(item({.workers = workers, .seed = seed}));
                RunTimes& times = times_[runs_.back()->row.runId];
                times.stepMs = workers == 1 ? 10 : 10 + 10 * seed;
                times.accuracies = {{100, 0.5, *times.stepMs * 0.1},
                                    {200, workers == 4 && seed == 2 ? 0.6 : 0.9, *times.stepMs * 0.2}};
            }
        }
        lines_ = scalingLines(runs_, Scaling::Weak);
        drawn_ = drawnByThemselves(all(lines_), times_, Scaling::Weak, target_);
    }
    std::optional<Target> target_ = Target{Target::Metric::Accuracy, 0.9};
    std::vector<RunItemPtr> runs_;
    TimesById times_;
    std::vector<ScalingLine> lines_;
    std::vector<DrawnLine> drawn_;
};

TEST_F(ScalingCurvesTest, SeedsAreAMeanWithItsSpread) {
    const auto curves = scalingCurves(drawn_, ScalingPlot::Throughput);
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_EQ(curves[0].kind, Curve::Kind::Points);
    EXPECT_EQ(curves[0].line.x, (std::vector<double>{1, 4}));
    EXPECT_DOUBLE_EQ(curves[0].line.y[1], (128 / 0.02 + 128 / 0.03) / 2);
    EXPECT_TRUE(std::isnan(curves[0].deviation[0])) << "equal times of both seeds are one draw";
    EXPECT_GT(curves[0].deviation[1], 0);
}

TEST_F(ScalingCurvesTest, OneRunHasNoDeviation) {
    std::erase_if(runs_, [](const RunItemPtr& run) { return run->row.workers == 1 && run->row.seed == 2; });
    const auto lines = scalingLines(runs_, Scaling::Weak);
    const auto curves =
        scalingCurves(drawnByThemselves(all(lines), times_, Scaling::Weak, target_), ScalingPlot::Throughput);
    EXPECT_TRUE(std::isnan(curves[0].deviation[0]));
    EXPECT_GT(curves[0].deviation[1], 0);
}

TEST_F(ScalingCurvesTest, TheIdealGoesOnFromTheSmallest) {
    const auto throughput = scalingCurves(drawn_, ScalingPlot::Throughput).back();
    EXPECT_EQ(throughput.kind, Curve::Kind::Guide);
    EXPECT_EQ(throughput.line.x, (std::vector<double>{1, 4}));
    EXPECT_EQ(throughput.line.y, (std::vector<double>{3200, 12800}));
    const auto efficiency = scalingCurves(drawn_, ScalingPlot::Efficiency);
    EXPECT_EQ(efficiency.back().line.y, (std::vector<double>{100, 100}));
    EXPECT_NEAR(efficiency.front().line.y[1], (50 + 100 / 3.0) / 2, 1e-9);
}

TEST_F(ScalingCurvesTest, OneNumberOfWorkersIsNoHundredPercent) {
    std::erase_if(runs_, [](const RunItemPtr& run) { return run->row.workers != 1; });
    const auto lines = scalingLines(runs_, Scaling::Weak);
    const auto drawn = drawnByThemselves(all(lines), times_, Scaling::Weak, {});
    ASSERT_EQ(drawn.size(), 1U);
    ASSERT_EQ(drawn[0].points.size(), 1U);
    for (const ScalingPlot plot : {ScalingPlot::Throughput, ScalingPlot::Efficiency}) {
        const auto curves = scalingCurves(drawn, plot);
        ASSERT_EQ(curves.size(), 1U) << "no ideal to hold it against";
        EXPECT_EQ(curves[0].line.y.empty(), plot == ScalingPlot::Efficiency);
    }
    EXPECT_FALSE(pointInWords(drawn[0], drawn[0].points[0], {}).contains(QStringLiteral("efficiency")));
}

TEST_F(ScalingCurvesTest, LinesFromNearlyTheSameBaseShareTheirIdeal) {
    std::vector<RunItemPtr> runs;
    TimesById times;
    for (const char* algorithm : {"dasgd", "sync_sgd", "easgd"}) {
        for (const int workers : {1, 8}) {
            runs.push_back(item({.algorithm = algorithm, .workers = workers}));
            times[runs.back()->row.runId].stepMs = std::string(algorithm) == "easgd" ? 20 : 10 + 0.01 * workers;
        }
    }
    const auto lines = scalingLines(runs, Scaling::Weak);
    const auto curves = scalingCurves(drawnByThemselves(all(lines), times, Scaling::Weak, {}), ScalingPlot::Throughput);
    EXPECT_EQ(curves.size(), 3U + 2U) << "one ideal for the two that begin alike, one for the slow one";
}

TEST_F(ScalingCurvesTest, TimeToTargetIsDrawnOnlyWhereEverySeedReachedIt) {
    const auto curves = scalingCurves(drawn_, ScalingPlot::TimeToTarget);
    EXPECT_EQ(curves[0].line.x, (std::vector<double>{1}));
    EXPECT_EQ(curves[0].line.y, (std::vector<double>{2}));
    EXPECT_EQ(timeToTargetText(drawn_[0].points[1]), QStringLiteral("4.000 (1 of 2)"));
    EXPECT_EQ(scalingAxis(drawn_, ScalingPlot::TimeToTarget, target_),
              QStringLiteral("time to accuracy ≥ 0.9 [s], time simulated"));
}

TEST_F(ScalingCurvesTest, APointNamesItsNumbersAndRuns) {
    const QString words = pointInWords(drawn_[0], drawn_[0].points[1], target_);
    for (const char* part :
         {"dasgd", "4 workers, batch 32 each, time simulated", "ms/step: 25 ± 5", "efficiency %: 41.67",
          "s to accuracy ≥ 0.9: 4.000 (1 of 2)", "dasgd-virtual-scaling-p4-b32-s1", "-s2"}) {
        EXPECT_TRUE(words.contains(QString::fromUtf8(part))) << part << "\n" << words.toStdString();
    }
}

TEST_F(ScalingCurvesTest, WhatIsNotReadYetHasNoPoint) {
    const auto drawn = drawnByThemselves(all(lines_), {}, Scaling::Weak, {});
    ASSERT_EQ(drawn.size(), 1U);
    EXPECT_TRUE(drawn[0].points.empty());
    const auto curves = scalingCurves(drawn, ScalingPlot::Throughput);
    ASSERT_EQ(curves.size(), 1U) << "an empty curve keeps the place of its line";
    EXPECT_TRUE(curves[0].line.x.empty());
}

}  // namespace
}  // namespace dasgd::gui
