#include "gui/data/spans/rank_order.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

// "2 0 1" of ranks alone; a group is "name:0,1", open with a +.
std::string textOf(const RowPlan& plan) {
    QStringList rows;
    for (const RankGroup& group : plan) {
        QStringList ranks;
        for (const int rank : group.ranks) ranks << QString::number(rank);
        const QString name = group.isGroup() ? group.name + (group.open ? "+:" : ":") : QString();
        rows << name + ranks.join(',') + (group.pinned ? "!" : "");
    }
    return rows.join(' ').toStdString();
}

TEST(RankOrder, FewRanksAreShownByTheirNumber) { EXPECT_EQ(textOf(planOf({}, {.workers = 4})), "0 1 2 3"); }

TEST(RankOrder, PinnedComeFirstInTheOrderOfPinning) {
    EXPECT_EQ(textOf(planOf({.pinned = {3, 1}}, {.workers = 4})), "3! 1! 0 2");
    EXPECT_EQ(textOf(planOf({.pinned = {9, 1}}, {.workers = 3})), "1! 0 2") << "a rank that the run does not have";
}

TEST(RankOrder, TheLatestFirst) {
    const RankFacts facts{.workers = 4, .lateNs = {0, 50, -3, 50}};
    EXPECT_EQ(textOf(planOf({.sort = RankSort::LateFirst}, facts)), "1 3 0 2");
    EXPECT_EQ(textOf(planOf({.pinned = {2}, .sort = RankSort::LateFirst}, facts)), "2! 1 3 0");
    EXPECT_EQ(textOf(planOf({.sort = RankSort::LateFirst}, {.workers = 3})), "0 1 2") << "not known";
}

TEST(RankOrder, CollapsedIsPinnedAndAGroup) {
    EXPECT_EQ(textOf(planOf({.pinned = {2}, .collapsed = true}, {.workers = 4})), "2! others:0,1,3");
    EXPECT_EQ(textOf(planOf({.collapsed = true}, {.workers = 3})), "all ranks:0,1,2");
    EXPECT_EQ(textOf(planOf({.pinned = {0}, .collapsed = true}, {.workers = 2})), "0! 1") << "one rank is no group";
}

TEST(RankOrder, OfManyTheLatestStayAlone) {
    RankFacts facts{.workers = 20, .lateNs = std::vector<double>(20)};
    facts.lateNs[13] = 9;
    facts.lateNs[4] = 5;
    const RowPlan plan = planOf({}, facts);
    EXPECT_EQ(textOf(plan), "13 4 0 1 others:2,3,5,6,7,8,9,10,11,12,14,15,16,17,18,19");
    EXPECT_EQ(planOf({.collapsed = false}, facts).size(), 20U);
}

TEST(RankOrder, AnOpenGroupIsFollowedByItsRanks) {
    const RankOrder order{.pinned = {1}, .collapsed = true, .open = {QStringLiteral("others")}};
    EXPECT_EQ(textOf(planOf(order, {.workers = 4})), "1! others+:0,2,3 0 2 3");
}

TEST(RankOrder, GroupsAreHostsWhereTheyAreKnown) {
    RankFacts facts{.workers = 4, .hosts = {"a", "b", "a", "b"}};
    EXPECT_EQ(textOf(planOf({.collapsed = true}, facts)), "a:0,2 b:1,3");
    facts.hosts = {"a", "a", "a", "a"};
    EXPECT_EQ(textOf(planOf({.collapsed = true}, facts)), "all ranks:0,1,2,3") << "one host says nothing";
}

}  // namespace
}  // namespace dasgd::gui
