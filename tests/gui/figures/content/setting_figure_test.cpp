#include "gui/figures/content/setting_figure.h"

#include <gtest/gtest.h>

#include "gui/figures/content/figure_curves.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(SettingFigure, ValuesOfARateHaveOneUnit) {
    EXPECT_EQ(axisValueOf("200Mbps")->value, 200);
    EXPECT_EQ(axisValueOf("0.5Gbps")->value, 500);
    EXPECT_EQ(axisValueOf("0.5Gbps")->unit, QStringLiteral("Mbit/s"));
    EXPECT_EQ(axisValueOf("3")->unit, QString());
    EXPECT_FALSE(axisValueOf("one-cycle").has_value());
    EXPECT_FALSE(axisValueOf("").has_value());
}

TEST(SettingFigure, ASettingIsNamedByTheEndOfItsKeyToo) {
    CompareGroup group;
    group.runs = {makeRun("a", "dasgd", delayedBy(2))};
    EXPECT_EQ(overKey({group}, QStringLiteral("delay")), "algorithm.delay");
    EXPECT_EQ(overKey({group}, QStringLiteral("algorithm.delay")), "algorithm.delay");
    EXPECT_EQ(overKey({group}, QStringLiteral("bandwidth")), "bandwidth");
}

// Runs of DaSGD with two delays are one curve of two points; the run without a delay has no point.
TEST(SettingFigure, ConfigurationsThatDifferInTheSettingAloneAreOneCurve) {
    Workspace workspace;
    FigureSpec spec;
    spec.kind = FigureKind::Over;
    spec.over = QStringLiteral("delay");
    for (const int delay : {3, 1}) {
        for (const int seed : {1, 2}) spec.runs << workspace.record({.seed = seed, .delay = delay, .steps = 60});
    }
    spec.runs << workspace.record({.algorithm = "sync_sgd", .steps = 60});
    auto reader = storage::WorkspaceReader::open(workspace.path()).value();
    const auto content = readFigure(reader, spec, allRuns(reader.runs()).value());
    ASSERT_TRUE(content.has_value()) << content.error().message;
    ASSERT_EQ(content->nothing, QString());
    ASSERT_EQ(content->curves.size(), 1U);
    EXPECT_EQ(content->curves[0].line.x, (std::vector<double>{1, 3}));
    EXPECT_EQ(content->curves[0].n, (std::vector<int>{2, 2}));
    EXPECT_TRUE(content->axes.x.startsWith(QLatin1Char('d'))) << content->axes.x.toStdString();
    ASSERT_EQ(content->sources.size(), 2U);
    EXPECT_EQ(content->sources[0].drawnRuns(), 4);
    EXPECT_EQ(content->sources[0].countInWords(), QStringLiteral("2"));
    EXPECT_EQ(content->sources[1].drawnRuns(), 0);
    EXPECT_EQ(content->notes.filter(QStringLiteral("is no number on this axis")).size(), 1);
}

}  // namespace
}  // namespace dasgd::gui
