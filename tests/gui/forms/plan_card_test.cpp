#include "gui/forms/plan_card.h"

#include <gtest/gtest.h>

#include <QListWidget>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

bool shows(const PlanCard& card, const QString& words) {
    for (const auto* label : card.findChildren<QLabel*>()) {
        if (label->isVisible() && label->text() == words) return true;
    }
    return false;
}

TEST(PlanCard, ListsTheRunsWithWhatTheyHaveInCommon) {
    PlanCard card;
    card.resize(500, 200);
    card.show();
    std::vector<PlannedRun> runs(12, {.label = "train.seed=1", .algorithm = "dasgd", .steps = 40, .parameters = 61706});
    runs[0].label.clear();
    runs[1].steps = 1200;
    card.showPlan(runs);
    ASSERT_EQ(card.list().count(), 12);
    EXPECT_EQ(card.list().item(0)->text(), QStringLiteral(" 1  dasgd")) << "without a sweep the algorithm tells";
    EXPECT_EQ(card.list().item(11)->text(), QStringLiteral("12  train.seed=1"));
    EXPECT_TRUE(shows(card, QStringLiteral("40 to %1 steps a run, %2 weights").arg(grouped(1200), grouped(61706))));
}

TEST(PlanCard, OfAHugeSweepTheFirstRunsAreListedAndTheRestCounted) {
    PlanCard card;
    card.show();
    card.showPlan({{.label = "x"}, {.label = "y"}}, 100'000);
    ASSERT_EQ(card.list().count(), 3);
    EXPECT_EQ(card.list().item(2)->text(), QStringLiteral("… and %1 more").arg(grouped(99'998)));
}

TEST(PlanCard, WithoutRunsItSaysWhy) {
    PlanCard card;
    card.show();
    card.showPlan({{.label = "x"}});
    card.showWords(QStringLiteral("Checking …"));
    EXPECT_TRUE(shows(card, QStringLiteral("Checking …")));
    EXPECT_FALSE(card.list().isVisible());
}

TEST(PlanCard, WhatWillNotHideIsAWarningWithItsRemedy) {
    PlanCard card;
    card.resize(700, 220);
    card.show();
    Hiding hiding{.compute = 0.005,
                  .communication = 0.022,
                  .period = 8,
                  .delay = 3,
                  .exposed = 0.007,
                  .enough = 5,
                  .exposing = 1,
                  .counted = 1,
                  .run = "r1"};
    card.showForecast(hiding, true);
    EXPECT_TRUE(shows(card, QStringLiteral("⚠  ") + hiding.inWords()));
    auto* set = card.findChild<QPushButton*>();
    ASSERT_TRUE(set->isVisible());
    EXPECT_EQ(set->text(), QStringLiteral("Set d = 5"));
    std::pair<int, int> wanted;
    QObject::connect(&card, &PlanCard::delayWanted, &card, [&](int delay, int period) { wanted = {delay, period}; });
    set->click();
    EXPECT_EQ(wanted, std::pair(5, 8));
    hiding.period = 4;
    card.showForecast(hiding, true);
    EXPECT_EQ(set->text(), QStringLiteral("Set d = 5, τ = 5")) << "a delay is at most a period";
    EXPECT_TRUE(hiding.inWords().contains(QStringLiteral("d ≥ 5 would, with τ ≥ 5.")));
    set->click();
    EXPECT_EQ(wanted, std::pair(5, 5));
    card.showForecast(hiding, false);
    EXPECT_FALSE(set->isVisible()) << "a sweep has more than one delay";
    hiding.exposing = 0;
    card.showForecast(hiding, true);
    EXPECT_FALSE(set->isVisible());
    EXPECT_TRUE(shows(card, hiding.inWords()));
}

}  // namespace
}  // namespace dasgd::gui
