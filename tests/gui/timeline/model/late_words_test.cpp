#include "gui/timeline/model/late_words.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(LateWords, HaveNoSignWhereItIsNothing) {
    EXPECT_EQ(lateInWords(37e6), QStringLiteral("+37 ms"));
    EXPECT_EQ(lateInWords(-0.4e6), QStringLiteral("−0.4 ms"));
    EXPECT_EQ(lateInWords(-0.02e6), QStringLiteral("0.0 ms"));
    EXPECT_EQ(lateInWords(0.02e6), QStringLiteral("0.0 ms"));
}

}  // namespace
}  // namespace dasgd::gui
