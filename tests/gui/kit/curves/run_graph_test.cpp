#include "gui/kit/curves/run_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace dasgd::gui {
namespace {

using Edge = RunGraph::Edge;

storage::RunRow mixing(const std::string& graph, int workers) {
    storage::RunRow run;
    run.workers = workers;
    run.seed = 7;
    run.config = "[algorithm]\nname = \"gossip_sgd\"\n[graph]\n" + graph;
    return run;
}

TEST(RunGraph, IsComputedFromTheRecordedSettings) {
    const auto ring = graphOf(mixing("name = \"ring\"\nweights = \"auto\"\n", 4), 0);
    ASSERT_TRUE(ring);
    const double third = 1.0 / 3;
    EXPECT_EQ(ring->edges,
              (std::vector<Edge>{{0, 1, third, true}, {0, 3, third, true}, {1, 2, third, true}, {2, 3, third, true}}));
    EXPECT_EQ(ring->inWords(), QStringLiteral("ring of 4 ranks"));
    const auto rows = graphOf(mixing("name = \"matrix\"\nmatrix = [[0.5, 0.5], [0.5, 0.5]]\npath = \"\"\n", 2), 0);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->edges, (std::vector<Edge>{{0, 1, 0.5, true}}));
}

TEST(RunGraph, ChangesFromRoundToRound) {
    const storage::RunRow run = mixing("name = \"one-peer-exponential\"\n", 4);
    const auto first = graphOf(run, 0), second = graphOf(run, 1);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->edges, (std::vector<Edge>{{0, 1, 0.5}, {1, 2, 0.5}, {2, 3, 0.5}, {3, 0, 0.5}}));
    EXPECT_EQ(second->edges, (std::vector<Edge>{{0, 2, 0.5, true}, {1, 3, 0.5, true}}));
    EXPECT_EQ(second->inWords(), QStringLiteral("one-peer-exponential of 4 ranks, round 1 of every 2"));
    EXPECT_EQ(graphOf(run, 2)->edges, first->edges);
}

TEST(RunGraph, DrawnPairsFollowTheSeedOfTheRun) {
    storage::RunRow run = mixing("name = \"random-pair\"\n", 5);
    const auto pairs = graphOf(run, 3);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(pairs->edges.size(), 2U) << "one of five rests";
    EXPECT_EQ(pairs->inWords(), QStringLiteral("random-pair of 5 ranks, round 3"));
    int same = 0;
    for (run.seed = 8; run.seed < 18; ++run.seed) same += graphOf(run, 3)->edges == pairs->edges ? 1 : 0;
    EXPECT_LT(same, 5);
}

TEST(RunGraph, RunsWithoutOneHaveNone) {
    storage::RunRow plain;
    plain.workers = 4;
    plain.config = "[algorithm]\nname = \"sync_sgd\"\n";
    EXPECT_FALSE(mixesOverGraph(plain));
    EXPECT_FALSE(graphOf(plain, 0));
    EXPECT_TRUE(mixesOverGraph(mixing("name = \"ring\"\n", 200)));
    EXPECT_FALSE(graphOf(mixing("name = \"ring\"\n", 200), 0)) << "too many to be told apart";
    EXPECT_FALSE(graphOf(mixing("name = \"of a newer program\"\n", 4), 0));
    EXPECT_FALSE(graphOf(mixing("name = \"matrix\"\nmatrix = [[1]]\n", 4), 0)) << "a graph of other ranks";
    EXPECT_TRUE(graphOf(mixing("name = \"ring\"\n", 1), 0)->edges.empty());
}

TEST(RunGraph, RanksStandClockwiseFromTheTop) {
    const QPointF top = placeOnCircle(0, 4), right = placeOnCircle(1, 4);
    EXPECT_NEAR(top.x(), 0, 1e-12);
    EXPECT_NEAR(top.y(), -1, 1e-12);
    EXPECT_NEAR(right.x(), 1, 1e-12);
    EXPECT_NEAR(right.y(), 0, 1e-12);
    EXPECT_EQ(placeOnCircle(0, 1), QPointF(0, 0));
}

}  // namespace
}  // namespace dasgd::gui
