#include "gui/data/curves/spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

TEST(Spread, IsChosenByTheNumberOfSeeds) {
    EXPECT_TRUE(std::isnan(halfWidth(1, 0, Spread::Std)));
    for (const Spread spread : {Spread::Std, Spread::Interval95}) {
        EXPECT_FALSE(spreadOf(summarise({10}), spread));
        EXPECT_DOUBLE_EQ(*spreadOf(summarise({10, 18}), spread), 4) << "from the one to the other";
    }
    const Sample three = summarise({1, 2, 3});
    EXPECT_EQ(spreadOf(three, Spread::Std), three.std);
    EXPECT_EQ(spreadOf(three, Spread::Interval95), three.confidence);
    EXPECT_DOUBLE_EQ(halfWidth(3, *three.std, Spread::Interval95), *three.confidence);
    EXPECT_FALSE(spreadOf(three, Spread::None));
    EXPECT_FALSE(spreadOf(summariseTimes({2, 2, 2}), Spread::Std)) << "one draw of a simulation";
}

TEST(Spread, MeanAndHalfWidthHaveTheSameDecimals) {
    EXPECT_EQ(spreadInWords(summarise({97.0, 97.4, 97.2}), Spread::Std), QStringLiteral("97.20 ± 0.20"));
    EXPECT_EQ(spreadInWords(summarise({10, 18}), Spread::Std), QStringLiteral("14 ± 4"));
    EXPECT_EQ(spreadInWords(summarise({10}), Spread::Interval95), QStringLiteral("10.00")) << "n = 1 has no spread";
    EXPECT_EQ(spreadInWords(summarise({}), Spread::Interval95), kAbsent);
    EXPECT_EQ(spreadInWords(summarise({2, 2}), Spread::Interval95), QStringLiteral("2.000 ± 0"));
}

}  // namespace
}  // namespace dasgd::gui
