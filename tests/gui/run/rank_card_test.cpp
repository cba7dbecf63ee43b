#include "gui/run/rank_card.h"

#include <gtest/gtest.h>

#include <QHeaderView>

#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RankCardTest : public SessionBench {};

TEST_F(RankCardTest, HasARowForEachRankOfTheRunThatIsLookedAt) {
    RankCard card(session_, testLook());
    session_.feed().query<RankStatesQuery>().setWanted(true);  // as the page does while it is in sight
    look({.ranks = 3, .steps = 100});
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 3; }));
    for (int column = RankTableModel::kFirstNow; column < RankTableModel::kColumns; ++column) {
        EXPECT_TRUE(card.table().isColumnHidden(column)) << "an ended run has no now";
    }
    session_.choose(other_);
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 4; }));
}

TEST_F(RankCardTest, SaysHowLateEachRankComesWhileItIsSeen) {
    RankCard card(session_, testLook());
    session_.feed().query<RankStatesQuery>().setWanted(true);
    look({.ranks = 3, .steps = 200});
    const auto late = [&] { return card.table().model()->index(1, RankTableModel::Late).data().toString(); };
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 3; }));
    QTest::qWait(200);
    EXPECT_EQ(late(), kAbsent) << "nothing is read for a card that is not seen";
    card.show();
    ASSERT_TRUE(eventually([&] { return late() != kAbsent; }));
    EXPECT_TRUE(session_.timelineRows().lateness()) << "the timeline of its page has it too";
    session_.choose(other_);
    ASSERT_TRUE(eventually([&] { return card.table().model()->rowCount() == 4 && late() != kAbsent; }));
}

// A title that is cut at the edge says nothing, and what is beyond the edge is not seen at all.
TEST_F(RankCardTest, AllColumnsOfALiveRunFitIntoTheWidthThatThePageGivesThem) {
    RankCard card(session_, testLook());
    for (int column = RankTableModel::kFirstNow; column < RankTableModel::kColumns; ++column) {
        EXPECT_TRUE(card.table().isColumnHidden(column)) << "without a run there is no now";
    }
    session_.feed().query<RankStatesQuery>().setWanted(true);
    test::SyntheticRun run(workspace_.store(), {.steps = 100});
    run.train(60);
    ASSERT_TRUE(eventually([&] { return !card.table().isColumnHidden(RankTableModel::kFirstNow); }));
    // The card has this width beside the log in a window of 1600 pixels; in a narrower one it has the whole row.
    card.resize(880, 200);
    card.show();
    const QHeaderView& head = *card.table().horizontalHeader();
    EXPECT_TRUE(eventually([&] { return head.length() <= card.table().viewport()->width(); }))
        << head.length() << " in " << card.table().viewport()->width();
    run.finish();
}

}  // namespace
}  // namespace dasgd::gui
