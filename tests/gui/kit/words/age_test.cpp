#include "gui/kit/words/age.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(Age, IsSaidInItsLargestUnit) {
    const QDateTime now(QDate(2026, 3, 1), QTime(12, 0));
    EXPECT_EQ(ageInWords(now, now), QStringLiteral("just now"));
    EXPECT_EQ(ageInWords(now.addSecs(-60), now), QStringLiteral("1 min old"));
    EXPECT_EQ(ageInWords(now.addSecs(-7201), now), QStringLiteral("2 h old"));
    EXPECT_EQ(ageInWords(now.addDays(-3), now), QStringLiteral("3 days old"));
    EXPECT_EQ(ageInWords(now.addSecs(5), now), QStringLiteral("just now")) << "another clock may be ahead";
}

}  // namespace
}  // namespace dasgd::gui
