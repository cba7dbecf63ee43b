#include "gui/experiment/plan_card.h"

#include <gtest/gtest.h>

#include <QListWidget>

#include "gui/experiment/round_gantt.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/forecasts.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

class PlanCardTest : public ::testing::Test {
protected:
    PlanCardTest() {
        card_.resize(760, 240);
        card_.show();
    }
    [[nodiscard]] bool shows(const QString& words) const {
        for (const auto* label : card_.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text() == words) return true;
        }
        return false;
    }
    ForecastBoard board_;
    PlanCard card_{board_, testLook()};
};

TEST_F(PlanCardTest, ListsTheRunsWithWhatTheyHaveInCommon) {
    std::vector<PlannedRun> runs(12, {.label = "train.seed=1", .algorithm = "dasgd", .steps = 40, .parameters = 61706});
    runs[0].label.clear();
    runs[1].steps = 1200;
    card_.showPlan(runs);
    EXPECT_FALSE(card_.list().isVisible()) << "the forecast comes first";
    card_.turnTo(PlanCard::Side::Runs);
    ASSERT_TRUE(card_.list().isVisible());
    ASSERT_EQ(card_.list().count(), 12);
    EXPECT_EQ(card_.list().item(0)->text(), QStringLiteral(" 1  dasgd")) << "without a sweep the algorithm tells";
    EXPECT_EQ(card_.list().item(11)->text(), QStringLiteral("12  train.seed=1"));
    EXPECT_TRUE(shows(QStringLiteral("40 to %1 steps a run, %2 weights").arg(grouped(1200), grouped(61706))));
}

TEST_F(PlanCardTest, OfAHugeSweepTheFirstRunsAreListedAndTheRestCounted) {
    card_.showPlan({{.label = "x"}, {.label = "y"}}, 100'000);
    ASSERT_EQ(card_.list().count(), 3);
    EXPECT_EQ(card_.list().item(2)->text(), QStringLiteral("… and %1 more").arg(grouped(99'998)));
}

TEST_F(PlanCardTest, WithoutRunsItSaysWhy) {
    card_.turnTo(PlanCard::Side::Runs);
    card_.showPlan({{.label = "x"}});
    card_.showWords(QStringLiteral("There is an error"));
    EXPECT_TRUE(shows(QStringLiteral("There is an error")));
    EXPECT_FALSE(card_.list().isVisible());
    card_.showChecking();
    EXPECT_TRUE(shows(QStringLiteral("Checking …")));
}

TEST_F(PlanCardTest, WhileAnotherTextIsCheckedTheForecastBeforeStays) {
    board_.setForecast(forecastOf({caseOf(3)}));
    card_.showPlan({{.label = "x"}});
    ASSERT_TRUE(card_.forecast().gantt().isVisible());
    card_.showChecking();
    EXPECT_TRUE(card_.forecast().gantt().isVisible());
    EXPECT_EQ(&card_.firstStop(), &card_.forecast().gantt());
    card_.showWords(QStringLiteral("There is an error"));
    EXPECT_FALSE(card_.forecast().gantt().isVisible());
    EXPECT_FALSE(card_.forecast().head().isVisible());
}

}  // namespace
}  // namespace dasgd::gui
