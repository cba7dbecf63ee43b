#include "gui/figures/model/figure_news.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

const QString kFigure = QStringLiteral("a");

FigureState withRuns(int runs) { return {.name = kFigure, .runs = runs}; }

TEST(FigureNews, WhatWasThereAtFirstIsNoNewsAndWhatCameIsUntilItIsLookedAt) {
    FigureNews news;
    EXPECT_EQ(news.stateOf(kFigure), nullptr);
    news.setStates({withRuns(3)});
    EXPECT_EQ(news.newsOf(kFigure), QString());
    news.setStates({withRuns(4)});
    EXPECT_EQ(news.newsOf(kFigure), QStringLiteral("1 new run"));
    news.setStates({withRuns(6)});
    EXPECT_EQ(news.newsOf(kFigure), QStringLiteral("3 new runs"));
    news.look(kFigure);
    EXPECT_EQ(news.newsOf(kFigure), QString());
    ASSERT_NE(news.stateOf(kFigure), nullptr);
    EXPECT_EQ(news.stateOf(kFigure)->runs, 6);
}

TEST(FigureNews, SaysWhenItChangedAndOnlyThen) {
    FigureNews news;
    int changes = 0;
    QObject::connect(&news, &FigureNews::changed, [&changes] { ++changes; });
    news.setStates({withRuns(3)});
    news.setStates({withRuns(4)});
    EXPECT_EQ(changes, 2);
    news.look(kFigure);
    EXPECT_EQ(changes, 3);
    news.look(kFigure);
    news.look(QStringLiteral("no such figure"));
    EXPECT_EQ(changes, 3) << "a page looks again whenever it is told";
}

TEST(FigureNews, AFigureThatIsGoneHasNoState) {
    FigureNews news;
    news.setStates({withRuns(3)});
    news.setStates({});
    EXPECT_EQ(news.stateOf(kFigure), nullptr);
    EXPECT_EQ(news.newsOf(kFigure), QString());
}

}  // namespace
}  // namespace dasgd::gui
