#include "gui/widgets/run/rank_card.h"

#include <gtest/gtest.h>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RankCardTest : public SessionBench {};

TEST_F(RankCardTest, HasARowForEachRankOfTheRunThatIsLookedAt) {
    RankCard card(session_);
    session_.feed().query<RankStatesQuery>().setWanted(true);  // as the page does while it is in sight
    look({.ranks = 3, .steps = 100});
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 3; }));
    for (int column = RankTableModel::kFirstNow; column < RankTableModel::kColumns; ++column) {
        EXPECT_TRUE(card.table().isColumnHidden(column)) << "an ended run has no now";
    }
    session_.choose(other_);
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 4; }));
}

}  // namespace
}  // namespace dasgd::gui
