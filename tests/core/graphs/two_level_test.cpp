#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

// The Kronecker product of the nodes' W and the mean of a node.
TEST(TwoLevel, IsTheProductOfTheNodesGraphAndTheMean) {
    for (const char* outer : {"ring", "line", "exponential"}) {
        const Rows nodes = rowsOf(outer, 4);
        const Rows rows = rowsOf("two-level", 12, {{"ranks_per_node", integer(3)}, {"outer", text(outer)}});
        for (std::size_t i = 0; i < 12; ++i) {
            for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(rows[i][j], nodes[i / 3][j / 3] / 3, 1e-15) << outer;
        }
    }
    EXPECT_THAT(graphOf("two-level", {{"ranks_per_node", integer(4)}})->check(6)->message,
                ::testing::HasSubstr("ranks_per_node is 4, which does not divide 6 ranks"));
}

const GraphTrial::Add kTwoLevelTrial{{.graph = "two-level", .sizes = {1, 2, 4, 6, 8}}};

}  // namespace
}  // namespace dasgd::test
