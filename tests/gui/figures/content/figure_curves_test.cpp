#include "gui/figures/content/figure_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "gui/compare/model/compare_set.h"
#include "gui/data/curves/span_windows.h"
#include "gui/figures/model/figure_runs.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

std::vector<CompareGroup> groupsOf(storage::RunReader& reader, const QStringList& ids) {
    const auto all = allRuns(reader).value();
    FigureSpec spec;
    spec.runs = ids;
    return groupsApart(runsOf(spec, all)->runs, all, {});
}

TEST(FigureCurves, SeedsBecomeOneCurveWithItsBand) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 3; ++seed) ids << workspace.record({.seed = seed, .steps = 30});
    ids << workspace.record({.algorithm = "sync_sgd", .steps = 30});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const auto groups = groupsOf(reader->runs(), ids);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].runs.size(), 3U);
    const auto curves = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .smoothing = 0.9});
    ASSERT_TRUE(curves.has_value());
    EXPECT_EQ(curves->curves[0].name, QStringLiteral("dasgd (mean ± std, n = 3)"));
    EXPECT_EQ(curves->curves[0].deviation.size(), 30U);
    EXPECT_GT(curves->curves[0].deviation[10], 0);
    EXPECT_EQ(curves->curves[1].name, QStringLiteral("sync_sgd"));
    EXPECT_TRUE(curves->curves[1].deviation.empty());
    EXPECT_TRUE(figureCurves(*reader, groups, {.metric = QStringLiteral("no/such"), .smoothing = 0})->curves.empty());
}

// Curves over spans are formed for the figure, as they are not recorded: of all ranks together, or of each.
TEST(FigureCurves, WhatSpansAddUpToIsDrawnToo) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 3; ++seed) ids << workspace.record({.seed = seed, .ranks = 2, .steps = 300});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const auto mean =
        figureCurves(*reader, groupsOf(reader->runs(), ids), {.metric = QString::fromStdString(kSpansHidden)});
    ASSERT_TRUE(mean.has_value()) << mean.error().message;
    ASSERT_EQ(mean->curves.size(), 1U);
    EXPECT_EQ(mean->curves[0].name, QStringLiteral("dasgd (mean ± std, n = 3)"));
    EXPECT_GT(mean->curves[0].line.x.size(), 5U);
    for (const double hidden : mean->curves[0].line.y) EXPECT_TRUE(hidden > 0 && hidden <= 100) << hidden;
    for (const XAxis axis : {XAxis::Epoch, XAxis::Wall, XAxis::Samples, XAxis::BytesSent}) {
        const auto along = figureCurves(*reader, groupsOf(reader->runs(), ids),
                                        {.metric = QString::fromStdString(kSpansHidden), .x = axis});
        ASSERT_TRUE(along.has_value()) << along.error().message;
        const auto& x = along->curves.at(0).line.x;
        ASSERT_GT(x.size(), 5U);
        EXPECT_GT(x.back(), x.front()) << "not all at one place";
    }
    const auto ranks = figureCurves(*reader, groupsOf(reader->runs(), {ids.front()}),
                                    {.metric = QString::fromStdString(kSpansHidden), .lines = FigureLines::Ranks});
    ASSERT_TRUE(ranks.has_value()) << ranks.error().message;
    EXPECT_EQ(ranks->curves.size(), 2U) << "a curve a rank, and none of all of them";
}

// The legend has room for names alone where one line under the figure says it of all.
TEST(FigureCurves, WhatAllMeansHaveAlikeIsSaidOnce) {
    Workspace workspace;
    QStringList ids;
    for (const char* algorithm : {"dasgd", "sync_sgd"}) {
        for (int seed = 1; seed <= 3; ++seed)
            ids << workspace.record({.algorithm = algorithm, .seed = seed, .steps = 30});
    }
    auto reader = storage::WorkspaceReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const auto alike = figureCurves(*reader, groupsOf(reader->runs(), ids), {.metric = QStringLiteral("train/loss")});
    ASSERT_TRUE(alike.has_value());
    ASSERT_EQ(alike->curves.size(), 2U);
    EXPECT_EQ(alike->curves[0].name, QStringLiteral("dasgd"));
    EXPECT_EQ(alike->curves[1].name, QStringLiteral("sync_sgd"));
    EXPECT_EQ(alike->notes, QStringList{QStringLiteral("mean ± std over seeds, n = 3")});
    // With one more seed of one configuration the numbers of seeds differ, and stay with the names.
    ids << workspace.record({.algorithm = "sync_sgd", .seed = 4, .steps = 30});
    auto again = storage::WorkspaceReader::open(workspace.path());
    const auto differing = figureCurves(*again, groupsOf(again->runs(), ids), {.metric = QStringLiteral("train/loss")});
    ASSERT_TRUE(differing.has_value());
    EXPECT_EQ(differing->curves[0].name, QStringLiteral("dasgd (n = 3)"));
    EXPECT_EQ(differing->curves[1].name, QStringLiteral("sync_sgd (n = 4)"));
    EXPECT_EQ(differing->notes, QStringList{QStringLiteral("mean ± std over seeds")});
    const auto apart = figureCurves(*again, groupsOf(again->runs(), ids),
                                    {.metric = QStringLiteral("train/loss"), .lines = FigureLines::Seeds});
    EXPECT_TRUE(apart->notes.isEmpty()) << "no curve is a mean";
}

TEST(FigureCurves, ARunThatWasStoppedIsInNoMeanAndIsNamed) {
    Workspace workspace;
    QStringList ids{workspace.record({.seed = 1, .steps = 200}), workspace.record({.seed = 2, .steps = 200}),
                    workspace.record({.seed = 3, .steps = 40, .status = "stopped"})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    ASSERT_EQ(groups.size(), 1U);
    for (const char* metric : {"train/loss", "throughput/samples_per_s"}) {
        const auto curves = figureCurves(*reader, groups, {.metric = QLatin1String(metric), .smoothing = 0});
        ASSERT_EQ(curves->curves.size(), 1U);
        const Curve& mean = curves->curves.front();
        EXPECT_EQ(mean.name, QStringLiteral("dasgd (mean and range, n = 2)")) << metric;
        EXPECT_EQ(mean.note, QStringLiteral("seed 3 was stopped at step 40 of 40, left out"));
        EXPECT_EQ(mean.line.x.back(), 200) << "the mean goes on to the end of those that finished";
        EXPECT_EQ(mean.n, std::vector<int>(mean.line.x.size(), 2));
    }
    EXPECT_FALSE(groups[0].takes(*groups[0].runs[2], Members::Finished));
}

TEST(FigureCurves, ASeedThatWasRunAgainCountsOnce) {
    Workspace workspace;
    const QStringList ids{workspace.record({.seed = 1, .steps = 30}), workspace.record({.seed = 2, .steps = 30}),
                          workspace.record({.seed = 2, .steps = 20, .status = "failed"})};
    // The second run of seed 1 starts later by more than the clock of the store tells apart.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const QString again = workspace.record({.seed = 1, .steps = 30});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids + QStringList{again});
    ASSERT_EQ(groups.size(), 1U);
    ASSERT_EQ(groups[0].runs.size(), 4U);
    for (const RunItemPtr& run : groups[0].runs) {
        EXPECT_EQ(groups[0].counts(*run), run->id == again || run->id == ids[1]) << run->id.toStdString();
        EXPECT_EQ(groups[0].takes(*run, Members::Finished), groups[0].counts(*run)) << run->id.toStdString();
    }
    const auto made = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss")});
    ASSERT_EQ(made->curves.size(), 1U);
    const Curve& mean = made->curves.front();
    EXPECT_EQ(mean.name, QStringLiteral("dasgd (mean and range, n = 2)"));
    EXPECT_EQ(mean.n, std::vector<int>(30, 2));
    EXPECT_TRUE(mean.note.contains(QStringLiteral("2 older runs that were run again do not count")))
        << mean.note.toStdString();
    EXPECT_EQ(std::ranges::count(made->taken.front(), true), 2);
    // Runs that the counted run was resumed from are parts of it, not repetitions.
    std::vector<CompareGroup> parts = groups;
    parts[0].parts = parts[0].repeated;
    const auto whole = figureCurves(*reader, parts, {.metric = QStringLiteral("train/loss")});
    EXPECT_FALSE(whole->curves.front().note.contains(QStringLiteral("run again")));
    EXPECT_EQ(whole->curves.front().n, mean.n);
}

TEST(FigureCurves, RunsWithoutTheMetricAreNotCounted) {
    Workspace workspace;
    const QStringList ids{workspace.record({.seed = 1, .steps = 30}), workspace.record({.seed = 2, .steps = 0}),
                          workspace.record({.algorithm = "sync_sgd", .steps = 0})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto made = figureCurves(*reader, groupsOf(reader->runs(), ids), {.metric = QStringLiteral("train/loss")});
    ASSERT_TRUE(made.has_value());
    ASSERT_EQ(made->curves.size(), 1U);
    EXPECT_EQ(made->curves[0].note, QStringLiteral("seed 2 has no such record, left out"));
    EXPECT_EQ(made->taken, (std::vector<std::vector<bool>>{{true, false}, {false}}));
    EXPECT_EQ(made->notes, QStringList{QStringLiteral("sync_sgd: no curve, none of 1 run recorded train/loss")});
}

TEST(FigureCurves, WhereNothingFinishedTheMeanGoesAsFarAsAllGoAndSaysSo) {
    Workspace workspace;
    const QStringList ids{workspace.record({.seed = 1, .steps = 60, .status = "stopped"}),
                          workspace.record({.seed = 2, .steps = 40, .status = "interrupted"})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto curves = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .smoothing = 0});
    EXPECT_EQ(curves->curves.front().line.x.back(), 40);
    EXPECT_EQ(curves->curves.front().note,
              QStringLiteral("seed 1 was stopped at step 60 of 60; seed 2 was interrupted at step 40 of 40; to step "
                             "40, as far as all of its seeds go"));
    const auto one = groupsOf(reader->runs(), {ids[0]});
    const auto alone = figureCurves(*reader, one, {.metric = QStringLiteral("train/loss"), .smoothing = 0});
    EXPECT_EQ(alone->curves.front().name, QStringLiteral("dasgd"));
    EXPECT_EQ(alone->curves.front().note, QStringLiteral("seed 1 was stopped at step 60 of 60"));
}

TEST(FigureCurves, AllAsFarAsAllGoEndsWithTheFirstOfThemAndSaysSo) {
    Workspace workspace;
    const QStringList ids{workspace.record({.seed = 1, .steps = 200}), workspace.record({.seed = 2, .steps = 200}),
                          workspace.record({.seed = 3, .steps = 40, .status = "stopped"})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto made =
        figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .members = FigureMembers::AsFarAsAll});
    ASSERT_EQ(made->curves.size(), 1U);
    const Curve& mean = made->curves.front();
    EXPECT_EQ(mean.name, QStringLiteral("dasgd (mean ± std, n = 3)"));
    EXPECT_EQ(mean.line.x.back(), 40);
    EXPECT_EQ(mean.note,
              QStringLiteral("seed 3 was stopped at step 40 of 40; to step 40, as far as all of its seeds go"));
    EXPECT_EQ(made->taken.front(), (std::vector<bool>{true, true, true}));
}

TEST(FigureCurves, SeedsAreDrawnApartOrBehindTheirMean) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 2; ++seed) ids << workspace.record({.seed = seed, .steps = 30});
    ids << workspace.record({.seed = 3, .steps = 20, .status = "stopped"});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto apart =
        figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .lines = FigureLines::Seeds});
    ASSERT_EQ(apart->curves.size(), 2U);
    EXPECT_EQ(apart->curves[0].name, QStringLiteral("dasgd, seed 1"));
    EXPECT_EQ(apart->curves[1].name, QStringLiteral("dasgd, seed 2"));
    EXPECT_FALSE(apart->curves[0].style == apart->curves[1].style) << "colour is never the only sign";
    EXPECT_TRUE(apart->curves[0].deviation.empty());
    EXPECT_EQ(apart->notes, QStringList{QStringLiteral("dasgd: seed 3 was stopped at step 20 of 20, left out")});
    const auto behind =
        figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .lines = FigureLines::MeanAndSeeds});
    ASSERT_EQ(behind->curves.size(), 1U);
    const Curve& mean = behind->curves.front();
    ASSERT_EQ(mean.behind.size(), 2U);
    EXPECT_EQ(mean.behindNames.back(), QStringLiteral("dasgd, seed 2"));
    for (std::size_t i = 0; i < mean.line.y.size(); ++i) {
        EXPECT_NEAR(mean.line.y[i], (mean.behind[0].y[i] + mean.behind[1].y[i]) / 2, 1e-12);
        EXPECT_EQ(mean.behind[0].y[i], apart->curves[0].line.y[i]);
    }
}

TEST(FigureCurves, RanksAreDrawnApartAndTheirMeanIsTheCurveOfTheRun) {
    Workspace workspace;
    const QStringList ids{workspace.record({.ranks = 3, .steps = 30})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto whole = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss")});
    const auto made =
        figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .lines = FigureLines::Ranks});
    ASSERT_EQ(made->curves.size(), 3U);
    EXPECT_EQ(made->curves[2].name, QStringLiteral("dasgd, rank 2"));
    const Polyline& mean = whole->curves.front().line;
    for (std::size_t i = 0; i < mean.y.size(); ++i) {
        double sum = 0;
        for (const Curve& rank : made->curves) sum += rank.line.y[i];
        EXPECT_NEAR(sum / 3, mean.y[i], 1e-9);
    }
}

TEST(FigureCurves, TheBandIsTheOneThatIsAskedFor) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 3; ++seed) ids << workspace.record({.seed = seed, .steps = 30});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto of = [&](FigureBand band) {
        return figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .band = band})->curves.front();
    };
    const Curve std = of(FigureBand::Std), interval = of(FigureBand::Interval95);
    EXPECT_NEAR(interval.deviation[10] / std.deviation[10], 4.30265 / std::sqrt(3), 1e-4) << "Student's t, 2 degrees";
    EXPECT_EQ(interval.name, QStringLiteral("dasgd (mean ± 95 % interval, n = 3)"));
    EXPECT_TRUE(of(FigureBand::None).deviation.empty());
    EXPECT_EQ(of(FigureBand::None).name, QStringLiteral("dasgd (mean, n = 3)"));
}

TEST(FigureCurves, CurvesAreCalledAsOneLikes) {
    Workspace workspace;
    const QStringList ids{workspace.record({.steps = 8}), workspace.record({.algorithm = "sync_sgd", .steps = 8})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto all = allRuns(reader->runs()).value();
    const QString key = curveKey(*groupsOf(reader->runs(), ids)[1].runs.front());
    const auto named = groupsApart(all, all,
                                   {{QStringLiteral("dasgd"), QStringLiteral("DaSGD (d = 3)")},
                                    {key, QStringLiteral("Synchronous")},
                                    {QStringLiteral("sync_sgd"), QStringLiteral("less exact")}});
    QStringList names;
    for (const CompareGroup& group : named) names << group.name;
    names.sort();
    EXPECT_EQ(names, (QStringList{QStringLiteral("DaSGD (d = 3)"), QStringLiteral("Synchronous")}));
}

// The key that either experiment gave a curve names it.
TEST(FigureCurves, ACurveOfTwoExperimentsIsNamedByEitherOfItsKeys) {
    Workspace workspace;
    const QStringList ids{workspace.record({.experiment = "a", .seed = 1, .steps = 8}),
                          workspace.record({.experiment = "b", .seed = 2, .steps = 8})};
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto all = allRuns(reader->runs()).value();
    for (const RunItemPtr& run : all) {
        FigureSpec spec;
        spec.runs = ids;
        spec.names = {{curveKey(*run), QStringLiteral("ours")}};
        const FigureContent content = readFigure(*reader, spec, all).value();
        ASSERT_EQ(content.sources.size(), 1U);
        EXPECT_EQ(content.sources[0].name, QStringLiteral("ours"));
        EXPECT_TRUE(content.unusedNames.isEmpty());
    }
}

TEST(FigureCurves, ExperimentsThatWereNamedDifferentlyAreCurvesApart) {
    Workspace workspace;
    FigureSpec spec;
    for (const char* experiment : {"a", "b", "c"})
        spec.runs << workspace.record({.experiment = experiment, .steps = 8});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto all = allRuns(reader->runs()).value();
    const auto runs = runsOf(spec, all)->runs;
    spec.names = {{curveKey(*runs[0]), QStringLiteral("before")}, {curveKey(*runs[1]), QStringLiteral("after")}};
    const auto groups = groupsApart(runs, all, spec.names);
    ASSERT_EQ(groups.size(), 3U);
    StylesApart styles;
    for (const CompareGroup& group : groups) {
        EXPECT_EQ(styles.take(group.style), group.style) << "two look alike";
        EXPECT_TRUE(group.repeated.empty()) << group.name.toStdString() << " was not run again";
    }
    const FigureContent content = readFigure(*reader, spec, all).value();
    ASSERT_EQ(content.sources.size(), 3U);
    QStringList names;
    for (const FigureSource& source : content.sources) names << source.name;
    names.sort();
    EXPECT_EQ(names, (QStringList{QStringLiteral("after"), QStringLiteral("before"), QStringLiteral("dasgd")}));
    EXPECT_TRUE(content.unusedNames.isEmpty());
}

TEST(FigureCurves, SeedsThatWereRunAgainAreOneNote) {
    Workspace workspace;
    QStringList ids;
    for (int round = 0; round < 2; ++round) {
        for (int seed = 1; seed <= 3; ++seed) ids << workspace.record({.seed = seed, .steps = 30});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto made = figureCurves(*reader, groupsOf(reader->runs(), ids), {.metric = QStringLiteral("train/loss")});
    ASSERT_EQ(made->curves.size(), 1U);
    EXPECT_EQ(made->curves.front().note, QStringLiteral("3 older runs that were run again do not count"));
}

// Over time the seeds have nothing in common: the configuration stays in the figure, named as one without a mean.
TEST(FigureCurves, AConfigurationWithoutACommonTimeIsNamedAsOneWithoutAMean) {
    Workspace workspace;
    QStringList ids;
    for (const char* algorithm : {"sync_sgd", "independent"}) {
        for (const int seed : {1, 2}) ids << workspace.record({.algorithm = algorithm, .seed = seed, .steps = 30});
    }
    for (const int seed : {1, 2}) ids << workspace.record({.seed = seed, .steps = 30, .lateS = 100.0 * seed});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto made = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .x = XAxis::Wall});
    ASSERT_EQ(made->curves.size(), 3U);
    const Curve& none = made->curves[2];
    EXPECT_EQ(none.name, QStringLiteral("dasgd (no mean)"));
    EXPECT_TRUE(none.line.x.empty());
    EXPECT_TRUE(none.note.contains(nothingSharedInWords(XAxis::Wall))) << none.note.toStdString();
    EXPECT_FALSE(none.note.contains(QStringLiteral("where all of them have records")));
    EXPECT_EQ(made->taken[2], (std::vector<bool>{false, false})) << "the runs are in no mean";
    EXPECT_EQ(made->taken[0], (std::vector<bool>{true, true}));
    // Settings that the other curves have in common are stated once.
    EXPECT_EQ(made->curves[0].name, QStringLiteral("sync_sgd"));
    EXPECT_EQ(made->notes, QStringList{QStringLiteral("mean and range over seeds, n = 2")});
    const auto steps = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss")});
    EXPECT_EQ(steps->curves[2].name, QStringLiteral("dasgd"));
    EXPECT_EQ(steps->taken[2], (std::vector<bool>{true, true}));
}

TEST(FigureCurves, OverTrainingTimeSeedsThatStartedApartHaveAMean) {
    Workspace workspace;
    QStringList ids;
    for (const int seed : {1, 2})
        ids << workspace.record({.seed = seed, .ranks = 2, .steps = 60, .stepsPerEpoch = 20, .lateS = 100.0 * seed});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto groups = groupsOf(reader->runs(), ids);
    const auto mean = figureCurves(*reader, groups, {.metric = QStringLiteral("train/loss"), .x = XAxis::Training});
    ASSERT_EQ(mean->curves.size(), 1U);
    EXPECT_EQ(mean->curves[0].name, QStringLiteral("dasgd (mean and range, n = 2)"));
    ASSERT_FALSE(mean->curves[0].line.x.empty());
    EXPECT_LT(mean->curves[0].line.x.front(), 1);
    const auto ranks = figureCurves(
        *reader, groups, {.metric = QStringLiteral("train/loss"), .x = XAxis::Training, .lines = FigureLines::Ranks});
    ASSERT_EQ(ranks->curves.size(), 4U);
    for (const Curve& rank : ranks->curves) EXPECT_LT(rank.line.x.front(), 1);
}

}  // namespace
}  // namespace dasgd::gui
