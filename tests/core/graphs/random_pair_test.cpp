#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/base/random.h"
#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

// Fisher and Yates from the top with 53 bits of mt19937_64, seeded for the round: written out once more.
TEST(RandomPair, IsDrawnAsItIsDefined) {
    for (const int size : {5, 8}) {
        for (std::int64_t t = 0; t < 5; ++t) {
            std::mt19937_64 draws(streamSeed(7, kEveryRank, StreamPurpose::Graph, static_cast<std::uint64_t>(t)));
            std::vector<int> order;
            for (int rank = 0; rank < size; ++rank) order.push_back(rank);
            for (int i = size - 1; i > 0; --i) {
                const double u = static_cast<double>(draws() >> 11) / 9007199254740992.0;
                std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(u * (i + 1))]);
            }
            Rows expected(static_cast<std::size_t>(size), std::vector<double>(static_cast<std::size_t>(size), 0));
            for (std::size_t i = 0; i < expected.size(); ++i) expected[i][i] = 1;
            for (std::size_t place = 0; place + 1 < order.size(); place += 2) {
                const auto a = static_cast<std::size_t>(order[place]), b = static_cast<std::size_t>(order[place + 1]);
                expected[a][a] = expected[b][b] = expected[a][b] = expected[b][a] = 0.5;
            }
            EXPECT_EQ(rowsOf("random-pair", size, {}, t), expected) << size << " ranks, round " << t;
        }
    }
}

// χ² of the partner of rank 0 among seven others, 7,000 rounds: 6 degrees of freedom, 22.5 has a chance of 0.1 %.
TEST(RandomPair, HasEachPartnerEquallyOften) {
    std::map<int, int> met;
    const auto graph = graphOf("random-pair");
    for (std::int64_t t = 0; t < 7000; ++t) ++met[graph->mix({.number = t, .size = 8, .seed = 3}, 0).to.at(0).value()];
    double chi = 0;
    for (int rank = 1; rank < 8; ++rank) chi += (met[rank] - 1000.0) * (met[rank] - 1000.0) / 1000;
    EXPECT_LT(chi, 22.5);
}

const GraphTrial::Add kRandomPairTrial{{.graph = "random-pair"}};

}  // namespace
}  // namespace dasgd::test
