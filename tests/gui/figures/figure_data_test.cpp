#include "gui/figures/figure_data.h"

#include <gtest/gtest.h>

#include <QFile>
#include <cmath>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureData, SeedsBecomeOneCurveWithItsBand) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 3; ++seed) ids << workspace.record({.seed = seed, .steps = 30});
    ids << workspace.record({.algorithm = "sync_sgd", .steps = 30});
    auto reader = storage::RunReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const auto groups = figureGroups(*reader, ids);
    ASSERT_TRUE(groups.has_value()) << groups.error().message;
    ASSERT_EQ(groups->size(), 2U);
    EXPECT_EQ((*groups)[0].runs.size(), 3U);
    const auto curves = figureCurves(*reader, *groups, "train/loss", XAxis::Step, 0.9);
    ASSERT_TRUE(curves.has_value());
    EXPECT_EQ((*curves)[0].name, QStringLiteral("dasgd (mean ± std, n = 3)"));
    EXPECT_EQ((*curves)[0].deviation.size(), 30U);
    EXPECT_GT((*curves)[0].deviation[10], 0);
    EXPECT_EQ((*curves)[1].name, QStringLiteral("sync_sgd"));
    EXPECT_TRUE((*curves)[1].deviation.empty());
    EXPECT_TRUE(figureCurves(*reader, *groups, "no/such", XAxis::Step, 0)->empty());
}

TEST(FigureData, ARunThatWasStoppedIsInNoMeanAndIsNamed) {
    Workspace workspace;
    QStringList ids{workspace.record({.seed = 1, .steps = 200}), workspace.record({.seed = 2, .steps = 200}),
                    workspace.record({.seed = 3, .steps = 40, .status = "stopped"})};
    auto reader = storage::RunReader::open(workspace.path());
    const auto groups = figureGroups(*reader, ids);
    ASSERT_EQ(groups->size(), 1U);
    for (const char* metric : {"train/loss", "throughput/samples_per_s"}) {
        const auto curves = figureCurves(*reader, *groups, metric, XAxis::Step, 0);
        ASSERT_EQ(curves->size(), 1U);
        const Curve& mean = curves->front();
        EXPECT_EQ(mean.name, QStringLiteral("dasgd (mean ± std, n = 2)")) << metric;
        EXPECT_EQ(mean.note, QStringLiteral("seed 3 stopped at step 40, left out"));
        EXPECT_EQ(mean.line.x.back(), 200) << "the mean goes on to the end of those that finished";
        EXPECT_EQ(mean.n, std::vector<int>(mean.line.x.size(), 2));
    }
    EXPECT_FALSE((*groups)[0].inMean(*(*groups)[0].runs[2]));
}

TEST(FigureData, WhereNothingFinishedTheMeanGoesAsFarAsAllGoAndSaysSo) {
    Workspace workspace;
    const QStringList ids{workspace.record({.seed = 1, .steps = 60, .status = "stopped"}),
                          workspace.record({.seed = 2, .steps = 40, .status = "interrupted"})};
    auto reader = storage::RunReader::open(workspace.path());
    const auto groups = figureGroups(*reader, ids);
    const auto curves = figureCurves(*reader, *groups, "train/loss", XAxis::Step, 0);
    EXPECT_EQ(curves->front().line.x.back(), 40);
    EXPECT_EQ(
        curves->front().note,
        QStringLiteral("seed 1 stopped at step 60; seed 2 interrupted at step 40; mean as far as all of them go"));
    const auto one = figureGroups(*reader, {ids[0]});
    const auto alone = figureCurves(*reader, *one, "train/loss", XAxis::Step, 0);
    EXPECT_EQ(alone->front().name, QStringLiteral("dasgd"));
    EXPECT_EQ(alone->front().note, QStringLiteral("seed 1 stopped at step 60"));
}

TEST(FigureData, AnUnknownRunIsSaid) {
    Workspace workspace;
    workspace.record({.steps = 8});
    auto reader = storage::RunReader::open(workspace.path());
    const auto groups = figureGroups(*reader, {QStringLiteral("nope")});
    ASSERT_FALSE(groups.has_value());
    EXPECT_NE(groups.error().message.find("nope"), std::string::npos);
}

TEST(FigureData, CsvIsTextEvenWhereANameLooksLikeAFormula) {
    const QTemporaryDir folder;
    Curve curve{.name = QStringLiteral("=cmd()\"x"),
                .line = {{1, 2}, {0.5, 0.25}},
                .deviation = {0.1, std::nan("")},
                .n = {2, 1},
                .note = QStringLiteral("seed 3")};
    const QString file = folder.filePath(QStringLiteral("a.csv"));
    ASSERT_TRUE(writeCurvesCsv({curve}, {.x = QStringLiteral("step"), .y = QStringLiteral("loss")}, file).has_value());
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll(),
              "curve,\"step\",\"loss\",std,n,left_out\n\"'=cmd()\"\"x\",1,0.5,0.1,2,\"seed 3\"\n"
              "\"'=cmd()\"\"x\",2,0.25,,1,\"seed 3\"\n");
}

}  // namespace
}  // namespace dasgd::gui
