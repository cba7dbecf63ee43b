#include "core/algorithms/gossip/graph_average.h"

#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

std::vector<RankRecord> dpsgdOn(const std::string& graph) {
    Value document = QuadraticProblem{.workers = 4, .steps = 10}.experiment({{"name", text("dpsgd")}});
    document.set("graph", table({{"name", text(graph)}}));
    return train(document);
}

TEST(GraphAverage, RecordsTheGapAndTheDegreeOfItsGraph) {
    const auto records = dpsgdOn("star");
    EXPECT_NEAR(records[0].sink.metrics.at("graph/spectral_gap").at(0).value, 0.25, 1e-12);
    EXPECT_EQ(records[0].sink.metrics.at("graph/degree").at(0).value, 3);
    EXPECT_FALSE(records[1].sink.metrics.contains("graph/degree"));
    const auto drawn = dpsgdOn("random-pair");
    EXPECT_FALSE(drawn[0].sink.metrics.contains("graph/spectral_gap"));
    EXPECT_EQ(drawn[0].sink.metrics.at("graph/degree").at(0).value, 1);
}

// Each rank sends N to each of its neighbours in an exchange: the centre of a star to all, the others to it.
TEST(GraphAverage, SendsTheWeightsToEachNeighbour) {
    const auto records = dpsgdOn("star");
    const auto sentBy = [&](std::size_t rank) { return records[rank].sink.metrics.at("train/loss").back().bytesSent; };
    // After steps 0, 1, …: the loss of step 10 is recorded behind the tenth exchange and its own.
    EXPECT_EQ(sentBy(0), 3 * sentBy(1));
    EXPECT_EQ(sentBy(1) % flatBytes(3), 0);
    EXPECT_GE(sentBy(1), 10 * flatBytes(3));
    EXPECT_LE(sentBy(1), 11 * flatBytes(3));
}

}  // namespace
}  // namespace dasgd::test
