#include <gtest/gtest.h>

#include <cmath>

#include "gui/run/chart/chart_card.h"
#include "tests/gui/support/chart_bench.h"

namespace dasgd::gui {
namespace {

using ChartInstantsTest = ChartBench;

constexpr int kTrainingTime = 5;

TEST_F(ChartInstantsTest, AClickGoesToThatMomentOfTheTimeline) {
    emit card_->plot().clickedAt(30);
    const TimeRange window = session_.selection().window();
    const double wall = session_.series(id_, "train/loss").points()[29].wallS;
    EXPECT_NEAR(static_cast<double>(window.start + window.end) / 2e9, wall, 1e-3);
}

TEST_F(ChartInstantsTest, ThePointerOfTheTimelineIsALineInTheCurves) {
    card_->QWidget::show();
    const double wall = session_.series(id_, "train/loss").points()[29].wallS;
    const Ns at = std::llround(wall * 1e9);
    session_.selection().setCursor(at);
    ASSERT_TRUE(eventually([&] { return card_->plot().cursor().has_value(); }));
    EXPECT_EQ(card_->plot().cursor(), 30) << "the step at that instant";
    card_->axis().choose(2);
    ASSERT_TRUE(card_->plot().cursor()) << "it stays where the axis is another one";
    EXPECT_NEAR(*card_->plot().cursor(), wall, 1e-8);
    EXPECT_EQ(session_.selection().cursor(), at);
    session_.selection().setCursor(std::nullopt);
    ASSERT_TRUE(eventually([&] { return !card_->plot().cursor(); }));
}

TEST_F(ChartInstantsTest, TheCursorOfOneChartIsThatOfTheTimelineAndOfTheOthers) {
    ChartCard other(ChartSpec{QStringLiteral("another of a test"), "train/loss"}, session_, testLook());
    card_->QWidget::show();
    other.QWidget::show();
    QTest::keyClick(&card_->plot(), Qt::Key_Right, Qt::ShiftModifier);
    ASSERT_TRUE(card_->plot().cursor());
    const double step = *card_->plot().cursor();
    const SeriesPoint& point = session_.series(id_, "train/loss").points()[static_cast<std::size_t>(step) - 1];
    EXPECT_EQ(session_.selection().cursor(), std::llround(point.wallS * 1e9));
    ASSERT_TRUE(eventually([&] { return other.plot().cursor().has_value(); }));
    EXPECT_EQ(other.plot().cursor(), step);
    EXPECT_EQ(card_->plot().cursor(), step) << "and its own stays where it was put";
    other.axis().choose(2);
    EXPECT_TRUE(session_.selection().cursor()) << "what another chart points at is not this one's to forget";
    QTest::keyClick(&card_->plot(), Qt::Key_Escape);
    EXPECT_FALSE(session_.selection().cursor());
    EXPECT_TRUE(eventually([&] { return !other.plot().cursor(); }));
}

TEST_F(ChartInstantsTest, TheNamesOfTheCurvesSayWhatTheBandIs) {
    card_->QWidget::show();
    ASSERT_TRUE(eventually([&] { return card_->plot().band().has_value(); }));
    const QString name = card_->plot().band()->name;
    EXPECT_EQ(card_->plot().legendNames(),
              (QStringList{card_->plot().curves()[0].name, card_->plot().curves()[1].name, name}));
    card_->picker().choose("never/recorded", false);
    EXPECT_FALSE(card_->plot().legendNames().contains(name)) << "there is none";
    card_->picker().choose("train/loss", false);
    QStringList runs{id_, other_};
    for (int seed = 2; seed <= 9; ++seed) runs << workspace_.record({.seed = seed, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 10U; }));
    session_.compare(runs);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return !card_->legend().isHidden();
    }));
    EXPECT_EQ(card_->plot().legendNames(), QStringList{name}) << "where a list has the names of the curves";
}

// An evaluation takes a step's time on the wall and none of training.
TEST_F(ChartInstantsTest, OverTrainingTimeStartUpAndEvaluationsAreLeftOut) {
    const QString late = workspace_.record({.experiment = "late", .steps = 250, .lateS = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().find(late) != nullptr; }));
    session_.choose(late);
    card_->QWidget::show();
    card_->axis().choose(kTrainingTime);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return card_->plot().curves().size() == 1 && session_.series(late, "train/loss").points().size() == 250;
    }));
    EXPECT_EQ(card_->plot().axes().x, QStringLiteral("training time [s]"));
    const std::vector<SeriesPoint>& points = session_.series(late, "train/loss").points();
    const std::vector<double>& x = card_->plot().curves()[0].line.x;
    ASSERT_EQ(x.size(), points.size());
    EXPECT_LT(x.front(), 1) << "40 s of start-up are not in it";
    const double wall = points[249].wallS - points[149].wallS, trained = x[249] - x[149];
    EXPECT_NEAR(wall - trained, 0.026, 0.01) << "the evaluation behind step 200";
    const auto figures = session_.series(late, "eval/trained_s").points();
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_NEAR(x[199], figures[1].value, 0.03) << "as the time to a target counts it";

    session_.selection().setCursor(std::llround(points[120].wallS * 1e9));
    ASSERT_TRUE(eventually([&] { return card_->plot().cursor().has_value(); }));
    EXPECT_NEAR(*card_->plot().cursor(), x[120], 1e-6);
    session_.selection().setCursor(std::nullopt);
    emit card_->plot().clickedAt(x[120]);
    const TimeRange window = session_.selection().window();
    EXPECT_NEAR(static_cast<double>(window.start + window.end) / 2e9, points[120].wallS, 1e-3);
    ASSERT_TRUE(eventually([&] { return card_->plot().band() && card_->plot().band()->low > 0; }));
    EXPECT_LT(card_->plot().band()->high, x.back() + 1) << "not where the wall's time would put it";
}

// The run was not evaluated at any step: nothing says how long it has trained.
TEST_F(ChartInstantsTest, WithoutAnEvaluationItSaysWhyNothingIsDrawnOverTrainingTime) {
    card_->QWidget::show();
    card_->axis().choose(kTrainingTime);
    EXPECT_TRUE(card_->plot().curves().empty());
    EXPECT_TRUE(card_->plot().emptyText().contains(QStringLiteral("over training time")))
        << card_->plot().emptyText().toStdString();
    EXPECT_FALSE(card_->plot().band());
    card_->picker().choose("train/loss", true);
    card_->show();
    EXPECT_TRUE(card_->plot().curves().empty());
    card_->axis().choose(2);
    EXPECT_TRUE(eventually([&] { return card_->plot().curves().size() == 4; }));
}

TEST_F(ChartInstantsTest, TheRanksOfARunAreDrawnOverItsTrainingTimeToo) {
    const QString late = workspace_.record({.experiment = "late", .ranks = 2, .steps = 120, .lateS = 40});
    ASSERT_TRUE(eventually([&] { return session_.runs().find(late) != nullptr; }));
    session_.choose(late);
    card_->QWidget::show();
    card_->picker().choose("train/loss", true);
    card_->axis().choose(kTrainingTime);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return card_->plot().curves().size() == 2;
    }));
    EXPECT_LT(card_->plot().curves()[1].line.x.front(), 1);
}

// The curves are not formed again while the ranks have nothing new.
TEST_F(ChartInstantsTest, TheRanksOverTrainingTimeGrowWithTheRunAndAreFormedAnewForAnotherOne) {
    test::SyntheticRun run(workspace_.store(), {.experiment = "grows", .ranks = 2, .steps = 160});
    run.train(120);
    const QString grows = QString::fromStdString(run.id());
    const QString other = workspace_.record({.experiment = "other", .ranks = 2, .steps = 160, .stepMs = 13});
    ASSERT_TRUE(eventually([&] { return session_.runs().find(grows) && session_.runs().find(other); }));
    session_.choose(grows);
    card_->QWidget::show();
    card_->picker().choose("train/loss", true);
    card_->axis().choose(kTrainingTime);
    const auto drawn = [&](std::size_t points) {
        return eventually([&] {
            card_->refresh();
            const auto& curves = card_->plot().curves();
            return curves.size() == 2 && curves[1].line.x.size() == points;
        });
    };
    ASSERT_TRUE(drawn(120));
    run.train(160);
    ASSERT_TRUE(drawn(160));
    const double end = card_->plot().curves()[1].line.x.back();
    const std::vector<double> raw = card_->plot().curves()[1].line.y;
    card_->smoothing().choose(card_->smoothing().chosen() == 0 ? 2 : 0);
    EXPECT_NE(card_->plot().curves()[1].line.y, raw);
    session_.choose(other);
    EXPECT_TRUE(eventually([&] { return drawn(160) && card_->plot().curves()[1].line.x.back() < 0.8 * end; }));
    run.finish();
}

// Records of a virtual cluster have no evaluations in their time.
TEST_F(ChartInstantsTest, SimulatedTimeIsTrainingTimeAndSaysThatItIsSimulated) {
    const QString simulated = workspace_.record({.experiment = "virtual", .steps = 30, .simulated = true});
    ASSERT_TRUE(eventually([&] { return session_.runs().find(simulated) != nullptr; }));
    session_.choose(simulated);
    card_->QWidget::show();
    card_->axis().choose(kTrainingTime);
    ASSERT_TRUE(eventually([&] {
        card_->refresh();
        return card_->plot().curves().size() == 1;
    }));
    EXPECT_EQ(card_->plot().curves()[0].line.x.size(), 30U);
    EXPECT_EQ(card_->plot().axes().x, QStringLiteral("training time [s], time simulated"));
}

}  // namespace
}  // namespace dasgd::gui
