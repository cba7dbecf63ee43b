#include "gui/run/graph_card.h"

#include <gtest/gtest.h>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class GraphCardTest : public SessionBench {};

TEST_F(GraphCardTest, DrawsTheRoundOfTheRunThatIsLookedAt) {
    QWidget page;
    auto* card = new GraphCard(session_, testLook(), &page);
    page.show();
    EXPECT_FALSE(card->isVisible()) << "without a run there is no graph";
    look({.algorithm = "gossip_sgd", .ranks = 8, .steps = 60, .graph = "one-peer-exponential"});
    ASSERT_TRUE(eventually([&] { return card->isVisible(); }));
    EXPECT_EQ(card->view().graph().edges.size(), 8U);
    EXPECT_TRUE(card->round().isVisible());
    EXPECT_EQ(card->round().maximum(), 2) << "it repeats after three rounds";
    card->round().setValue(2);
    EXPECT_EQ(card->view().graph().round, 2);
    EXPECT_EQ(card->view().graph().edges.size(), 4U) << "mutual pairs, four apart";
    session_.choose(other_);
    ASSERT_TRUE(eventually([&] { return !card->isVisible(); })) << "sync_sgd mixes over none";
    const QString ring = workspace_.record({.algorithm = "dpsgd", .steps = 60, .graph = "ring"});
    session_.choose(ring);
    ASSERT_TRUE(eventually([&] { return card->isVisible(); }));
    EXPECT_FALSE(card->round().isVisible()) << "all rounds are alike";
    EXPECT_EQ(card->view().graph().round, 0);
}

}  // namespace
}  // namespace dasgd::gui
