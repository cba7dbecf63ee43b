#include "gui/kit/plots/paper/parallel_words.h"

#include <gtest/gtest.h>

#include "tests/gui/support/parallel_figures.h"

namespace dasgd::gui {
namespace {

TEST(ParallelWords, NamesThatDoNotFitAreShortThenTurnedAndSaidInANote) {
    const auto words = [](int axes, double width) { return parallelWords(parallelFigure(axes, width)); };
    const ParallelWords few = words(2, 5.5), more = words(3, 5.5), most = words(8, 3.25);
    EXPECT_EQ(few.axes[1].title, QStringLiteral("a number of its own 1 [ms], simulated"));
    EXPECT_TRUE(few.meanings.isEmpty());
    EXPECT_EQ(more.axes[1].title, QStringLiteral("number 1"));
    EXPECT_FALSE(more.turned);
    ASSERT_FALSE(more.meanings.isEmpty());
    EXPECT_TRUE(more.meanings[0].contains(QStringLiteral("number 1: a number of its own 1 [ms], simulated")));
    EXPECT_TRUE(most.turned);
    EXPECT_GT(most.titleHeight, few.titleHeight);
}

TEST(ParallelWords, ANumberIsTurnedAndNeverCut) {
    const ParallelWords words = parallelWords(parallelFigure(8, 3.25));
    for (const std::size_t axis : {1U, 2U, 4U}) {
        EXPECT_TRUE(words.axes[axis].turned);
        EXPECT_GE(words.axes[axis].labels.size(), 2);
        for (const QString& label : words.axes[axis].labels) EXPECT_FALSE(label.contains(QStringLiteral("…")));
    }
    EXPECT_FALSE(parallelWords(parallelFigure(3, 5.5)).axes[1].turned);
}

TEST(ParallelWords, WordsThatAreCutStandInFullInANote) {
    ParallelFigure figure = parallelFigure(8, 3.25);
    for (int i = 0; i < 9; ++i) figure.plot.axes[3].categories << QStringLiteral("a long value %1").arg(i);
    const QString meanings = parallelWords(figure).meanings.join(u'\n');
    EXPECT_TRUE(meanings.contains(QStringLiteral("number 3, from below: hybrid_sgd, local_sgd")))
        << meanings.toStdString();
}

TEST(ParallelWords, ALegendOfManyCountsTheRest) {
    ParallelFigure figure = parallelFigure(3, 5.5);
    figure.legend.assign(30, figure.legend[0]);
    const ParallelLegend legend = parallelLegend(figure);
    EXPECT_EQ(legend.entries.size(), static_cast<std::size_t>(kMostNamed));
    EXPECT_TRUE(parallelNotes(figure, parallelWords(figure), legend).back().startsWith(QStringLiteral("6 more")));
}

TEST(ParallelWords, TheWordsOfTheFirstAxisStandWholeBeforeIt) {
    ParallelFigure figure = parallelFigure(8, 5.5);
    figure.plot.axes[0].categories[0] = QStringLiteral("overlap_local_sgd");
    const ParallelWords words = parallelWords(figure);
    EXPECT_TRUE(words.axes[0].before);
    EXPECT_EQ(words.axes[0].labels.front(), QStringLiteral("overlap_local_sgd"));
    EXPECT_FALSE(words.axes[3].before);
}

}  // namespace
}  // namespace dasgd::gui
