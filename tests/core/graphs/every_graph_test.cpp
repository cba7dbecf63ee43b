#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kRounds = 12;

class EveryGraph : public ::testing::TestWithParam<GraphTrial> {
protected:
    // Calls `look` for rounds of each size.
    void inRounds(const std::function<void(const Graph&, const GraphRound&)>& look) const {
        const auto graph = GetParam().make();
        for (const int size : GetParam().sizes) {
            ASSERT_FALSE(graph->check(size)) << size << ": " << graph->check(size)->message;
            for (std::int64_t t = 0; t < kRounds; ++t) {
                SCOPED_TRACE("round " + std::to_string(t) + " of " + std::to_string(size) + " ranks");
                look(*graph, {.number = t, .size = size, .seed = 20'261});
            }
        }
    }
};

TEST_P(EveryGraph, HasRowsAndColumnsThatSumToOne) {
    inRounds([](const Graph& graph, const GraphRound& round) {
        const Rows rows = matrixOf(graph, round);
        std::vector<double> columns(rows.size(), 0);
        for (const auto& row : rows) {
            double sum = 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                EXPECT_GE(row[j], 0);
                sum += row[j];
                columns[j] += row[j];
            }
            EXPECT_NEAR(sum, 1, 1e-12);
        }
        for (const double column : columns) EXPECT_NEAR(column, 1, 1e-12);
    });
}

// What one rank sends another one receives, and nobody hears a rank twice.
TEST_P(EveryGraph, HasAReceiverForEachMessage) {
    inRounds([](const Graph& graph, const GraphRound& round) {
        std::set<std::pair<int, int>> sent, received;
        for (int rank = 0; rank < round.size; ++rank) {
            const Graph::Mix mix = graph.mix(round, rank);
            for (const Rank to : mix.to) EXPECT_TRUE(sent.emplace(rank, to.value()).second);
            for (const auto& from : mix.from) {
                EXPECT_NE(from.rank.value(), rank);
                EXPECT_TRUE(received.emplace(from.rank.value(), rank).second);
            }
        }
        EXPECT_EQ(sent, received);
    });
}

TEST_P(EveryGraph, RepeatsAfterItsPeriodAndIsAsSymmetricAsItSays) {
    const auto graph = GetParam().make();
    for (const int size : GetParam().sizes) {
        const std::int64_t period = graph->period(size);
        for (std::int64_t t = 0; t < kRounds; ++t) {
            const Rows rows = matrixOf(*graph, {.number = t, .size = size, .seed = 1});
            if (period > 0) {
                EXPECT_EQ(rows, matrixOf(*graph, {.number = t + period, .size = size, .seed = 2}))
                    << "neither the seed nor the round makes a difference";
            }
            for (std::size_t i = 0; graph->isSymmetric() && i < rows.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(rows[i][j], rows[j][i], 1e-15);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryGraph, ::testing::ValuesIn(GraphTrial::list()),
                         [](const auto& info) { return info.param.name(); });

TEST(AllGraphs, HaveATrial) {
    std::set<std::string> tried;
    for (const GraphTrial& trial : GraphTrial::list()) tried.insert(trial.graph);
    for (const std::string& name : GraphRegistry::names()) EXPECT_TRUE(tried.contains(name)) << name;
}

TEST(Graphs, ThatNeverJoinAreToldFromThoseThatDo) {
    EXPECT_TRUE(isConnected(*graphOf("ring"), 5));
    EXPECT_TRUE(isConnected(*graphOf("one-peer-exponential"), 8)) << "over a period";
    EXPECT_TRUE(isConnected(*graphOf("random-pair"), 5));
    const Fields fixed{{"pattern", text("fixed")}};
    EXPECT_FALSE(isConnected(*graphOf("groups", fixed), 4));
    const Fields joined{{"pattern", text("fixed")}, {"global_every", integer(5)}};
    EXPECT_TRUE(isConnected(*graphOf("groups", joined), 4));
    // A period that nobody could walk through.
    const Fields rarely{{"global_every", integer(1'000'000'000)}};
    EXPECT_FALSE(graphOf("groups", rarely)->check(8));
    EXPECT_EQ(largestDegree(*graphOf("groups", rarely), 8, 1), 7) << "in one round of a thousand million";
}

TEST(Graphs, UnequalUniformWeightsThatMoveTheMeanAreRefused) {
    const auto graph = graphOf("star", {{"weights", text("uniform")}});
    const auto refused = graph->check(4);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "weights");
    EXPECT_THAT(refused->message,
                ::testing::HasSubstr("would move the mean of the ranks: each column of W must sum to 1"));
    EXPECT_FALSE(graph->check(2)) << "two ranks have one neighbour each";
}

}  // namespace
}  // namespace dasgd::test
