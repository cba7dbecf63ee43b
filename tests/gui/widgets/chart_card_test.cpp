#include "gui/widgets/chart_card.h"

#include <gtest/gtest.h>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class ChartCardTest : public SessionBench {
protected:
    void SetUp() override {
        look();
        card_ = std::make_unique<ChartCard>(
            ChartSpec{QStringLiteral("Loss"), "train/loss", QStringLiteral("training loss"), true}, session_,
            testLook());
        card_->refresh();
    }
    std::unique_ptr<ChartCard> card_;
};

TEST_F(ChartCardTest, DrawsTheRunAndTheOthersOfItsExperiment) {
    const auto& curves = card_->plot().curves();
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_TRUE(curves[0].primary);
    EXPECT_EQ(curves[0].name, QStringLiteral("dasgd"));
    EXPECT_EQ(curves[0].line.x.size(), 60U);
    EXPECT_EQ(curves[1].line.x.size(), 40U);
    EXPECT_NE(curves[0].style, curves[1].style);
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

TEST_F(ChartCardTest, AClickGoesToThatMomentOfTheTimeline) {
    emit card_->plot().clickedAt(30);
    const TimeRange window = session_.selection().window();
    const double wall = session_.series(id_, "train/loss").points()[29].wallS;
    EXPECT_NEAR(static_cast<double>(window.start + window.end) / 2e9, wall, 1e-3);
}

}  // namespace
}  // namespace dasgd::gui
