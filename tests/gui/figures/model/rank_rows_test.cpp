#include "gui/figures/model/rank_rows.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

QString again(const char* text) {
    const auto plan = rowPlanOf(QString::fromUtf8(text));
    EXPECT_TRUE(plan) << text << ": " << plan.error().message;
    return plan ? rankRowsText(*plan) : QString();
}

TEST(RankRowsTest, RowsAreReadAndWrittenInTheirOrder) {
    const auto plan = rowPlanOf(QStringLiteral("12, 0-2, [rack 2: 4-7, 9], [20-22]"));
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->size(), 6U);
    EXPECT_EQ((*plan)[0].ranks, std::vector<int>{12});
    EXPECT_EQ((*plan)[3].ranks, std::vector<int>{2});
    EXPECT_EQ((*plan)[4].ranks, (std::vector<int>{4, 5, 6, 7, 9}));
    EXPECT_EQ((*plan)[4].name, QStringLiteral("rack 2"));
    EXPECT_EQ((*plan)[5].name, QStringLiteral("others"));
    EXPECT_EQ(again("12, 0-2, [rack 2: 4-7, 9]"), QStringLiteral("12, 0-2, [rack 2: 4-7, 9]"));
    EXPECT_EQ(again(" 3 , 1,0 "), QStringLiteral("3, 1, 0"));
    EXPECT_EQ(again(""), QString());
}

TEST(RankRowsTest, WhatIsNoRowIsRefusedInWords) {
    const auto error = [](const char* text) {
        const auto plan = rowPlanOf(QString::fromUtf8(text));
        return plan ? std::string() : plan.error().message;
    };
    EXPECT_NE(error("0-3, four").find("found \"four\""), std::string::npos);
    EXPECT_NE(error("7-3").find("7-3"), std::string::npos);
    EXPECT_NE(error("[0-3").find("not closed"), std::string::npos);
    EXPECT_NE(error("0-3, 2").find("rank 2 stands there twice"), std::string::npos);
    EXPECT_NE(error("0-200").find("at most 64"), std::string::npos);
    EXPECT_FALSE(error("1,,2").empty());
}

TEST(RankRowsTest, ARankIsPartOfOneShare) {
    const auto twice = rowPlanOf(QStringLiteral("[a: 0-7], [b: 4-11]"));
    ASSERT_FALSE(twice);
    EXPECT_NE(twice.error().message.find("rank 4 stands there twice"), std::string::npos);
    EXPECT_TRUE(rowPlanOf(QStringLiteral("4, [all: 0-7]"))) << "alone and in a share, as an opened group";
    EXPECT_TRUE(rowPlanOf(QStringLiteral("[all: 0-131071]"))) << "as a page of so many ranks writes it";
}

TEST(RankRowsTest, ANameCannotBreakTheText) {
    const RowPlan plan{{.name = QStringLiteral("a]b:c,d"), .ranks = {1, 2}}};
    EXPECT_EQ(rowPlanOf(rankRowsText(plan)).value()[0].ranks, plan[0].ranks);
}

}  // namespace
}  // namespace dasgd::gui
