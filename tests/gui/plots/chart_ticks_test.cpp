#include "gui/plots/chart_ticks.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dasgd::gui
