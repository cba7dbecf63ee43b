#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Complete, IsTheMean) {
    for (const auto& row : rowsOf("complete", 5)) EXPECT_EQ(row, std::vector<double>(5, 0.2));
}

const GraphTrial::Add kCompleteTrial{{.graph = "complete"}};

}  // namespace
}  // namespace dasgd::test
