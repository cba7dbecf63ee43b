#include <gtest/gtest.h>

#include "gui/run/chart/chart_card.h"
#include "tests/gui/support/chart_bench.h"

namespace dasgd::gui {
namespace {

using ChartSeedsTest = ChartBench;

TEST_F(ChartSeedsTest, TheMeanOfTheSeedsLiesBehindTheRunAndNamesWhatItLeavesOut) {
    card_->QWidget::show();
    EXPECT_TRUE(card_->seeds().isHidden()) << "one seed has no mean";
    workspace_.record({.seed = 2, .steps = 60});
    workspace_.record({.seed = 4, .steps = 60});
    workspace_.record({.seed = 3, .steps = 20, .status = "stopped"});
    session_.choose(id_);
    ASSERT_TRUE(eventually([&] { return !card_->seeds().isHidden(); }));
    EXPECT_TRUE(card_->seedWords().isEmpty());
    card_->seeds().choose(1);
    ASSERT_TRUE(eventually([&] { return !card_->seedWords().isEmpty(); }));
    EXPECT_TRUE(card_->seedWords().startsWith(QStringLiteral("mean of 3 seeds ± std")))
        << card_->seedWords().toStdString();
    EXPECT_TRUE(card_->seedWords().contains(QStringLiteral("left out: "))) << card_->seedWords().toStdString();
    EXPECT_TRUE(card_->seedWords().contains(QStringLiteral("seed 3 was stopped at step 20")));
    const auto mean = [&] {
        for (const Curve& curve : card_->plot().curves()) {
            if (curve.name.startsWith(QStringLiteral("mean of"))) return curve;
        }
        return Curve{};
    };
    ASSERT_EQ(mean().deviation.size(), 60U);
    const Curve own = *std::ranges::find(card_->plot().curves(), true, &Curve::primary);
    EXPECT_EQ(mean().style.color, own.style.color);
    EXPECT_NE(mean().style.dash, own.style.dash) << "colour is not the only sign";
    const double std = mean().deviation[30];
    card_->seeds().choose(2);
    ASSERT_TRUE(eventually([&] { return mean().name.endsWith(QStringLiteral("95 %")); }));
    EXPECT_GT(mean().deviation[30], std) << "of three seeds the interval is wider";
    card_->picker().choose(kSpansHidden, false);
    EXPECT_TRUE(card_->seeds().isHidden()) << "what is formed from spans is of this run alone";
    EXPECT_TRUE(mean().line.x.empty());
    card_->picker().choose("train/loss", false);
    ASSERT_TRUE(eventually([&] { return !mean().line.x.empty(); }));
    card_->seeds().choose(0);
    EXPECT_TRUE(mean().line.x.empty());
}

}  // namespace
}  // namespace dasgd::gui
