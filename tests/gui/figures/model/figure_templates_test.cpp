#include "gui/figures/model/figure_templates.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureTemplates, EveryTemplateIsAFigureThatFilesCanHold) {
    EXPECT_EQ(templateWords().front(), QStringLiteral("overlap"));
    for (const QString& word : templateWords()) {
        const FigureSpec spec = figureOfTemplate(word);
        EXPECT_FALSE(spec.title.isEmpty());
        const auto read = figureSpecOf(jsonOf(spec));
        ASSERT_TRUE(read.has_value()) << word.toStdString() << ": " << read.error().message;
        EXPECT_EQ(*read, spec) << word.toStdString();
    }
}

TEST(FigureTemplates, ThePanelsOfOverlapAreOfTheSameRuns) {
    const std::vector<RunItemPtr> all{makeRun("a", "dasgd"), makeRun("b", "sync_sgd")};
    FigureSpec spec = figureOfTemplate(QStringLiteral("overlap"));
    takeRunsOfAll(spec, {QStringLiteral("b"), QStringLiteral("a")}, {}, all);
    ASSERT_EQ(spec.panels.size(), 2U);
    EXPECT_TRUE(spec.panels[0].eachRun);
    for (const FigureSpec& panel : spec.panels)
        EXPECT_EQ(panel.runs, (QStringList{QStringLiteral("b"), QStringLiteral("a")}));
    EXPECT_TRUE(spec.runs.isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
