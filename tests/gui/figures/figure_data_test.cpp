#include "gui/figures/figure_data.h"

#include <gtest/gtest.h>

#include <QFile>

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
    Curve curve{.name = QStringLiteral("=cmd()\"x"), .line = {{1, 2}, {0.5, 0.25}}, .deviation = {0.1, 0.2}};
    const QString file = folder.filePath(QStringLiteral("a.csv"));
    ASSERT_TRUE(writeCurvesCsv({curve}, {.x = QStringLiteral("step"), .y = QStringLiteral("loss")}, file).has_value());
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll(),
              "curve,\"step\",\"loss\",std\n\"'=cmd()\"\"x\",1,0.5,0.1\n\"'=cmd()\"\"x\",2,0.25,0.2\n");
}

}  // namespace
}  // namespace dasgd::gui
