#include "gui/run/chart/chart_card.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QMenu>
#include <cmath>

#include "tests/gui/support/chart_bench.h"

namespace dasgd::gui {
namespace {

using ChartCardTest = ChartBench;

TEST_F(ChartCardTest, DrawsTheRunAndTheOthersOfItsExperiment) {
    const auto& curves = card_->plot().curves();
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_TRUE(curves[0].primary);
    EXPECT_EQ(curves[0].name, QStringLiteral("dasgd"));
    EXPECT_EQ(curves[0].line.x.size(), 60U);
    EXPECT_EQ(curves[1].line.x.size(), 40U);
    EXPECT_NE(curves[0].style, curves[1].style);
}

// A live run costs what is drawn of it, so a page that is not seen draws nothing.
TEST_F(ChartCardTest, WhatIsHiddenDrawsNothingUntilItIsShown) {
    ASSERT_FALSE(card_->isVisible());
    const QString third = workspace_.record({.delay = 1, .steps = 30});
    ASSERT_TRUE(eventually([&] { return !session_.series(third, "train/loss").empty(); }));
    QTest::qWait(300);  // as long as a chart that is seen takes
    EXPECT_EQ(card_->plot().curves().size(), 2U);
    card_->QWidget::show();
    EXPECT_EQ(card_->plot().curves().size(), 3U) << "and then it is whole at once";
}

// The picture of the run before would stand under the name of the new one.
TEST_F(ChartCardTest, AnotherRunClearsTheCurvesAtOnce) {
    const QString elsewhere = workspace_.record({.experiment = "elsewhere", .steps = 30});
    session_.choose(id_);
    ASSERT_TRUE(eventually([&] { return session_.runs().find(elsewhere) != nullptr; }));
    session_.choose(id_);
    ASSERT_TRUE(eventually([&] { return !session_.series(id_, "train/loss").empty(); }));
    card_->QWidget::show();
    ASSERT_TRUE(eventually([&] { return card_->plot().curves().size() == 2; }));
    session_.choose(elsewhere);
    EXPECT_TRUE(card_->plot().curves().empty()) << "before anything else happens";
    EXPECT_EQ(card_->plot().emptyText(), QStringLiteral("Reading …"));
    ASSERT_TRUE(eventually([&] { return card_->plot().curves().size() == 1; }));
    EXPECT_EQ(card_->plot().curves()[0].key, elsewhere);
    session_.choose(id_);
    ASSERT_TRUE(eventually([&] { return card_->plot().curves().size() == 2; }));
    session_.choose(other_);
    EXPECT_EQ(card_->plot().curves().size(), 2U) << "what is known of both is drawn at once, in their new order";
    EXPECT_EQ(card_->plot().curves()[0].key, other_);
}

TEST_F(ChartCardTest, TheRawCurveStaysBehindTheSmoothedOne) {
    ASSERT_TRUE(card_->plot().curves()[0].raw);
    EXPECT_NE(card_->plot().curves()[0].raw->y, card_->plot().curves()[0].line.y);
    card_->smoothing().choose(0);
    EXPECT_FALSE(card_->plot().curves()[0].raw);
}

TEST_F(ChartCardTest, TheAxisMayBeAnyMeasureOfProgress) {
    const double last = 60;
    EXPECT_EQ(card_->plot().curves()[0].line.x.back(), last);
    card_->axis().choose(1);
    EXPECT_NEAR(card_->plot().curves()[0].line.x.back(), last / 100, 1e-9);
    card_->axis().choose(3);
    EXPECT_EQ(card_->plot().curves()[0].line.x.back(), last * 32 * 4);
    card_->axis().choose(4);
    EXPECT_GT(card_->plot().curves()[0].line.x.back(), 0);
}

TEST_F(ChartCardTest, TheScaleIsLinearOrLogarithmic) {
    for (const int chosen : {1, 0, 1}) {
        card_->scale().choose(chosen);
        EXPECT_EQ(card_->plot().axes().logY, chosen == 1);
    }
}

TEST_F(ChartCardTest, TheAxesSayOfTheRunThatIsShownWhetherItsTimeIsSimulated) {
    const QString simulated = workspace_.record({.experiment = "virtual", .steps = 30, .simulated = true});
    card_->axis().choose(2);
    const auto show = [this](const QString& run) {
        ASSERT_TRUE(eventually([&] { return session_.runs().find(run) != nullptr; }));
        session_.choose(run);
        ASSERT_TRUE(eventually([&] { return session_.currentId() == run && session_.shown().front()->id == run; }));
        card_->refresh();
    };
    show(id_);
    EXPECT_EQ(card_->plot().axes().x, QStringLiteral("wall time [s]"));
    show(simulated);
    EXPECT_EQ(card_->plot().axes().x, QStringLiteral("wall time [s], time simulated"));
    show(id_);
    EXPECT_EQ(card_->plot().axes().x, QStringLiteral("wall time [s]"));
}

TEST_F(ChartCardTest, DrawsAnyMetricThatTheRunsRecordedAndKeepsTheChoice) {
    const auto offers = [this] {
        card_->picker().fill();
        QStringList texts;
        for (const QAction* action : card_->picker().menu()->actions()) texts << action->text();
        return texts;
    };
    ASSERT_TRUE(eventually([&] { return offers().join(QLatin1Char('\n')).contains(QStringLiteral("Throughput")); }));
    EXPECT_FALSE(offers().join(QLatin1Char('\n')).contains(QStringLiteral("Test accuracy")))
        << "neither run was evaluated";
    card_->picker().choose("throughput/samples_per_s", false);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return card_->plot().curves().size() == 3;
    }));
    const Curve& whole = card_->plot().curves().back();
    EXPECT_EQ(whole.kind, Curve::Kind::Guide);
    EXPECT_EQ(whole.line.y.front(), *session_.current()->row.samplesPerS) << "the number of the key figure";
    EXPECT_EQ(card_->scale().chosen(), 0) << "linear, as rates are";
    card_->axis().choose(2);
    ChartCard again(ChartSpec{QStringLiteral("of a test"), "train/loss"}, session_, testLook());
    EXPECT_EQ(again.picker().metric(), "throughput/samples_per_s");
    EXPECT_EQ(again.axis().chosen(), 2);
}

TEST_F(ChartCardTest, DrawsTheRanksOfTheRunOneByOne) {
    card_->picker().choose("train/loss", true);
    card_->show();
    ASSERT_TRUE(eventually([&] { return card_->plot().curves().size() == 4; }));
    EXPECT_EQ(card_->plot().curves()[3].name, QStringLiteral("rank 3"));
    EXPECT_EQ(card_->plot().curves()[3].line.x.size(), 60U);
    card_->picker().choose("train/loss", false);
    EXPECT_EQ(card_->plot().curves().size(), 2U);
}

TEST_F(ChartCardTest, ManyCurvesHaveTheirListBesideThem) {
    EXPECT_TRUE(card_->legend().isHidden());
    QStringList runs{id_, other_};
    for (int seed = 2; seed <= 12; ++seed) runs << workspace_.record({.seed = seed, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 13U; }));
    session_.compare(runs);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return card_->plot().curves().size() == 13U;
    }));
    CurveLegend& legend = card_->legend();
    EXPECT_FALSE(legend.isHidden());
    QStringList names;
    for (int i = 0; i < legend.model()->rowCount(); ++i) names << legend.model()->index(i, 0).data().toString();
    EXPECT_EQ(names.removeDuplicates(), 0);
    legend.model()->setData(legend.model()->index(4, 0), Qt::Unchecked, Qt::CheckStateRole);
    EXPECT_EQ(card_->plot().curves().size(), 12U);
    emit legend.activated(legend.model()->index(6, 0));
    int primary = 0;
    for (const Curve& curve : card_->plot().curves()) primary += curve.primary ? 1 : 0;
    EXPECT_EQ(primary, 1);
    legend.model()->setData(legend.model()->index(4, 0), Qt::Checked, Qt::CheckStateRole);
    EXPECT_EQ(card_->plot().curves().size(), 13U);
}

TEST_F(ChartCardTest, ThePlotKeepsItsHeightHoweverManyNamesAreAboveIt) {
    QStringList runs{id_, other_};
    for (int seed = 2; seed <= 7; ++seed) runs << workspace_.record({.seed = seed, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 8U; }));
    session_.compare(runs);
    for (const int width : {400, 800}) {
        card_->resize(width, 200);
        card_->QWidget::show();
        ASSERT_TRUE(eventually([&] {
            card_->refresh();
            return card_->plot().curves().size() == 8U && card_->legend().isHidden();
        }));
        // The card is not made much higher than that either.
        EXPECT_TRUE(eventually([&] {
            card_->resize(width, card_->minimumSizeHint().height());
            return card_->plot().areaHeight() >= 180 && card_->plot().areaHeight() < 190;
        })) << card_->plot().areaHeight()
            << " at " << width;
    }
}

// Three cards stand beside each other in a window of 1600 pixels.
TEST_F(ChartCardTest, TheLongestChoicesDoNotMakeItWider) {
    workspace_.record({.seed = 2, .steps = 60});
    session_.choose(id_);
    card_->QWidget::show();
    ASSERT_TRUE(eventually([&] { return !card_->seeds().isHidden(); }));
    for (Choice* choice : {&card_->axis(), &card_->smoothing(), &card_->seeds()}) {
        choice->choose(static_cast<int>(choice->menu()->actions().size()) - 1);
    }
    QCoreApplication::processEvents();
    EXPECT_LE(card_->minimumSizeHint().width(), 425);
}

TEST_F(ChartCardTest, ARunThatHasEndedIsNotSaidToRecordItYet) {
    card_->picker().choose("never/recorded", false);
    EXPECT_TRUE(card_->plot().emptyText().startsWith(QStringLiteral("This run recorded no")))
        << card_->plot().emptyText().toStdString();
}

TEST_F(ChartCardTest, WithoutARunNothingIsSaidOfWhatItRecorded) {
    Workspace empty;
    Feed feed{empty.path()};
    Session session{feed};
    ChartCard card(ChartSpec{QStringLiteral("of nothing"), "train/loss"}, session, testLook());
    card.refresh();
    EXPECT_EQ(card.plot().emptyText(), QStringLiteral("No run to draw."));
}

TEST_F(ChartCardTest, ARunThatIsHiddenStaysHiddenWhenOneMoreRunRenamesIt) {
    QStringList runs{id_};
    for (int seed = 2; seed <= 9; ++seed) runs << workspace_.record({.seed = seed, .steps = 20});
    const auto draw = [&](std::size_t count) {
        session_.compare(runs);
        return eventually([&] {
            card_->refresh();
            return card_->plot().curves().size() == count &&
                   session_.shown().size() == static_cast<std::size_t>(runs.size());
        });
    };
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 10U; }));
    ASSERT_TRUE(draw(9));
    const QString before = session_.shownNames()[3], hidden = session_.shown()[3]->id;
    card_->legend().model()->setData(card_->legend().model()->index(3, 0), Qt::Unchecked, Qt::CheckStateRole);
    runs << workspace_.record({.seed = 2, .delay = 1, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 11U; }));
    ASSERT_TRUE(draw(9)) << "ten without the hidden one";
    const auto at = std::ranges::find(session_.shown(), hidden, &RunItem::id) - session_.shown().begin();
    EXPECT_NE(session_.shownNames()[at], before) << "the case that is tested";
    EXPECT_FALSE(card_->drawnRuns().contains(hidden));
    EXPECT_EQ(card_->drawnRuns().size(), 9);
}

TEST_F(ChartCardTest, ARankThatIsHiddenIsThatOfItsRun) {
    const QString first = workspace_.record({.ranks = 10, .steps = 20});
    const QString second = workspace_.record({.seed = 2, .ranks = 10, .steps = 20});
    card_->picker().choose("train/loss", true);
    card_->show();
    const auto drawn = [&](const QString& run, std::size_t count) {
        session_.choose(run);
        return eventually([&] {
            card_->refresh();
            return session_.currentId() == run && card_->plot().curves().size() == count;
        });
    };
    ASSERT_TRUE(eventually([&] { return session_.runs().find(first) && session_.runs().find(second); }));
    ASSERT_TRUE(drawn(first, 10));
    card_->legend().model()->setData(card_->legend().model()->index(3, 0), Qt::Unchecked, Qt::CheckStateRole);
    ASSERT_EQ(card_->plot().curves().size(), 9U);
    EXPECT_TRUE(drawn(second, 10)) << "its rank 3 was not hidden";
    EXPECT_TRUE(drawn(first, 9));
}

}  // namespace
}  // namespace dasgd::gui
