#include "gui/compare/compare_legend.h"

#include <gtest/gtest.h>

#include <QSet>
#include <QToolButton>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareLegendTest = CompareBench;

TEST_F(CompareLegendTest, SpaceHidesAndEnterHighlights) {
    CompareLegend legend(board_, testLook());
    look();
    legend.resize(290, 400);
    legend.show();
    QListView& list = legend.list();
    list.setCurrentIndex(list.model()->index(1, 0));
    QTest::keyClick(&list, Qt::Key_Space);
    EXPECT_TRUE(board_.choice.isHidden(1));
    QTest::keyClick(&list, Qt::Key_Space);
    EXPECT_FALSE(board_.choice.isHidden(1));
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_EQ(board_.choice.highlighted(), 1U);
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_FALSE(board_.choice.highlighted());
}

TEST_F(CompareLegendTest, APinAndTheCurrentRowStayWhereRunsAreAdded) {
    CompareLegend legend(board_, testLook());
    look();
    legend.show();
    QListView& list = legend.list();
    list.setCurrentIndex(list.model()->index(1, 0));
    QTest::keyClick(&list, Qt::Key_Return);
    const std::string pinned = board_.choice.groups()[1].key;
    workspace_.record({.algorithm = "sync_sgd", .seed = 4, .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    const std::size_t sync = placeOf("sync");
    ASSERT_TRUE(eventually([&] { return board_.choice.groups()[sync].runs.size() == 4; }));
    EXPECT_EQ(list.currentIndex().row(), 1);
    ASSERT_TRUE(board_.choice.highlighted());
    EXPECT_EQ(board_.choice.groups()[*board_.choice.highlighted()].key, pinned);
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_FALSE(board_.choice.highlighted()) << "Enter once more lets go";
}

TEST_F(CompareLegendTest, AFilterThatIsNoneSaysWhere) {
    CompareLegend legend(board_, testLook());
    look();
    legend.show();
    QTest::keyClicks(&legend.filter(), QStringLiteral("dellay = 3"));
    bool said = false;
    for (const QLabel* label : legend.findChildren<QLabel*>()) {
        said = said || (label->isVisible() && label->text().startsWith(QStringLiteral("At character 1")));
    }
    EXPECT_TRUE(said);
}

TEST_F(CompareLegendTest, WhatTheValuesAreOfIsNeverCut) {
    CompareLegend legend(board_, testLook());
    look();
    board_.curves.want(&legend, {"train/loss", XAxis::Wall, 0.9});
    board_.curves.setCursor(std::nullopt, {"train/loss", XAxis::Wall, 0.9});
    QLabel* said = nullptr;
    for (const int width : {230, 290, 600}) {
        legend.resize(width, 400);
        legend.show();
        ASSERT_TRUE(eventually([&] {
            for (QLabel* label : legend.findChildren<QLabel*>()) {
                if (label->text().startsWith(QStringLiteral("at "))) said = label;
            }
            return said && said->text().contains(QStringLiteral("average, weight 0.9"));
        }));
        QApplication::processEvents();
        EXPECT_GE(said->height(), said->heightForWidth(said->width())) << width;
        EXPECT_GE(said->width(), said->minimumSizeHint().width()) << "not one letter a line, at " << width;
    }
}

TEST_F(CompareLegendTest, AllNoneAndInvertActOnWhatIsListed) {
    CompareLegend legend(board_, testLook());
    look();
    const auto press = [&](const char* text) {
        for (auto* button : legend.findChildren<QToolButton*>()) {
            if (button->text() == QLatin1String(text)) button->click();
        }
    };
    board_.choice.setFilter(QStringLiteral("delay >= 1"));
    press("none");
    board_.choice.setFilter({});
    EXPECT_EQ(board_.choice.shown(), (std::vector<std::size_t>{placeOf("sync")}));
    press("invert");
    EXPECT_EQ(board_.choice.shown().size(), 2U);
    press("all");
    EXPECT_EQ(board_.choice.shown().size(), 3U);
}

// A sweep over τ and d of so many configurations.
class CompareLegendNames : public ::testing::TestWithParam<int> {
protected:
    CompareLegendNames() {
        for (int i = 0; i < GetParam(); ++i) {
            workspace_.record({.ranks = 1, .period = 1 + i / 10, .delay = 1 + i % 10, .steps = 2});
        }
    }
    Workspace workspace_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    CompareBoard board_{session_};
};

TEST_P(CompareLegendNames, NoTwoLookTheSame) {
    const auto count = static_cast<std::size_t>(GetParam());
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == count; }));
    board_.curves.want(this, {"train/loss", XAxis::Step});
    board_.choice.setWatching(true);
    board_.choice.takeNewestExperiment();
    ASSERT_EQ(board_.choice.groups().size(), count);
    CompareLegend legend(board_, testLook());
    legend.resize(290, 400);
    legend.show();
    ASSERT_TRUE(eventually([&] {
        return board_.curves.curve({"train/loss", XAxis::Step}, count - 1) && board_.results.row(count - 1);
    }));
    const QListView& list = legend.list();
    const auto& delegate = dynamic_cast<const CompareLegendDelegate&>(*list.itemDelegate());
    ASSERT_EQ(list.model()->rowCount(), GetParam());
    bool anyCut = false;
    for (const int width : {list.viewport()->width(), 190, 130}) {
        QSet<QString> seen;
        for (int row = 0; row < GetParam(); ++row) {
            const QModelIndex index = list.model()->index(row, 0);
            const QString name = delegate.nameAt(index, width);
            seen.insert(name);
            anyCut = anyCut || name != index.data().toString();
        }
        EXPECT_EQ(seen.size(), GetParam()) << "in a row of " << width;
    }
    EXPECT_TRUE(anyCut) << "the narrowest leaves no room for whole names";
}

INSTANTIATE_TEST_SUITE_P(Sweeps, CompareLegendNames, ::testing::Values(24, 100));

TEST_F(CompareLegendTest, NamesFollowTheConfigurations) {
    CompareLegend legend(board_, testLook());
    look();
    legend.resize(290, 400);
    legend.show();
    const auto& delegate = dynamic_cast<const CompareLegendDelegate&>(*legend.list().itemDelegate());
    const auto names = [&] {
        QStringList out;
        for (int row = 0; row < legend.list().model()->rowCount(); ++row) {
            out << delegate.nameAt(legend.list().model()->index(row, 0), 600);
        }
        return out;
    };
    EXPECT_EQ(names().size(), 3);
    board_.choice.setFilter(QStringLiteral("delay >= 3"));
    ASSERT_EQ(names().size(), 1);
    EXPECT_EQ(names().front(), board_.choice.groups()[board_.choice.listed().front()].name)
        << "whole, where there is room";
}

TEST_F(CompareLegendTest, NamesStandAboveTheirNumbersWhereThereIsNoRoomBesideThem) {
    CompareLegend legend(board_, testLook());
    look();
    legend.resize(700, 400);
    legend.show();
    QListView& list = legend.list();
    const auto& delegate = dynamic_cast<const CompareLegendDelegate&>(*list.itemDelegate());
    const auto height = [&] { return list.visualRect(list.model()->index(0, 0)).height(); };
    EXPECT_FALSE(delegate.isTwoLines());
    const int inOneLine = height();
    const double widest =
        QFontMetricsF(interFont(13, Weight::SemiBold)).horizontalAdvance(board_.choice.groups()[0].name);
    legend.resize(static_cast<int>(widest) + 90, 400);
    EXPECT_TRUE(delegate.isTwoLines());
    EXPECT_GT(height(), inOneLine);
    for (int row = 0; row < list.model()->rowCount(); ++row) {
        const QModelIndex index = list.model()->index(row, 0);
        EXPECT_EQ(delegate.nameAt(index, list.viewport()->width()), index.data().toString()) << "whole";
    }
}

TEST_F(CompareLegendTest, TheFilterIsOfTheRunsThatWereCompared) {
    CompareLegend legend(board_, testLook());
    look();
    legend.show();
    QTest::keyClicks(&legend.filter(), QStringLiteral("delay = 3"));
    ASSERT_EQ(board_.choice.shown().size(), 1U);
    board_.choice.takeNewestExperiment();
    EXPECT_EQ(legend.filter().text(), QString());
    EXPECT_EQ(board_.choice.shown().size(), 3U);
    QTest::keyClicks(&legend.filter(), QStringLiteral("dellay = 3"));
    ASSERT_TRUE(board_.choice.filterError());
    board_.choice.takeNewestExperiment();
    EXPECT_EQ(legend.filter().text(), QString());
    EXPECT_FALSE(board_.choice.filterError());
}

}  // namespace
}  // namespace dasgd::gui
