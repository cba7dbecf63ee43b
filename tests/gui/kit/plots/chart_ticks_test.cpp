#include "gui/kit/plots/chart_ticks.h"

#include <gtest/gtest.h>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {
namespace {

TEST(ChartTicks, AreRoundAndWithinTheRange) {
    const ChartTicks ticks = niceTicks(0.3, 9.7, 5);
    ASSERT_EQ(ticks.values, (std::vector<double>{2, 4, 6, 8}));
    EXPECT_EQ(ticks.labels, (QStringList{"2", "4", "6", "8"}));
    EXPECT_EQ(niceTicks(-0.1, 0.1, 4).labels, (QStringList{"-0.10", "-0.05", "0", "0.05", "0.10"}));
}

TEST(ChartTicks, LabelsShareOneUnit) {
    EXPECT_EQ(niceTicks(0, 20'000, 4).labels, (QStringList{"0", "5 k", "10 k", "15 k", "20 k"}));
}

TEST(ChartTicks, OneValueHasOneTick) { EXPECT_EQ(niceTicks(3, 3, 4).values.size(), 1U); }

TEST(ChartTicks, OfALogarithmicAxisAreDecadesWhereThereAreSome) {
    EXPECT_EQ(logTicks(0.01, 10, 6).values.size(), 4U);
    EXPECT_GE(logTicks(2, 8, 4).values.size(), 2U) << "a range within a decade has ticks too";
}

TEST(ChartTicks, ATitleWiderThanItsAxisTakesTheRoomThatThePageHas) {
    const QFontMetricsF metrics(interFont(10));
    const QString title = QStringLiteral("time to accuracy 98.5 % [s]");
    const double needed = metrics.horizontalAdvance(title);
    const QRectF page(0, 0, 2 * needed, 50);
    EXPECT_EQ(titleRow(page, 10, 10 + 1.5 * needed, 5, 12, title, metrics), QRectF(10, 5, 1.5 * needed, 12));
    const QRectF left = titleRow(page, 10, 30, 5, 12, title, metrics);
    EXPECT_EQ(left.left(), 0) << "it begins at the edge";
    EXPECT_GE(left.width(), needed);
    const QRectF right = titleRow(page, 2 * needed - 20, 2 * needed, 5, 12, title, metrics);
    EXPECT_EQ(right.right(), page.right());
    EXPECT_EQ(titleRow({0, 0, 20, 50}, 5, 15, 5, 12, title, metrics).width(), 20) << "no wider than the page";
}

}  // namespace
}  // namespace dasgd::gui
