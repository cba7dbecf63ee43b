#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const Rows kUneven{{0.7, 0.2, 0.1}, {0.3, 0.5, 0.2}, {0, 0.3, 0.7}};

TEST(MatrixGraph, IsThatOfTheExperiment) {
    EXPECT_EQ(rowsOf("matrix", 3, {{"matrix", matrix(kUneven)}}), kUneven);
    const Graph::Mix mix = graphOf("matrix", {{"matrix", matrix(kUneven)}})->mix({.size = 3}, 2);
    EXPECT_EQ(mix.from.size(), 1U) << "a weight of 0 is no message";
    EXPECT_EQ(mix.to.size(), 2U);
}

TEST(MatrixGraph, WhatIsNoMatrixOfWeightsIsRefused) {
    const auto refused = [](const Fields& fields) {
        const auto made = GraphRegistry::find("matrix")->create(table(fields), {});
        return made ? "" : made.error().message;
    };
    EXPECT_THAT(refused({{"matrix", matrix({{0.5, 0.4}, {0.5, 0.5}})}}), HasSubstr("row 1 of W sums to 0.9"));
    EXPECT_THAT(refused({{"matrix", matrix({{1, 0}, {1}})}}), HasSubstr("row 2 of W has 1 numbers; W has 2 rows"));
    EXPECT_THAT(refused({}), HasSubstr("give the rows of W, as matrix = [[0.5"));
    // The mean would go to rank 0.
    EXPECT_THAT(graphOf("matrix", {{"matrix", matrix({{1, 0}, {1, 0}})}})->check(2)->message,
                HasSubstr("rank 0 has at all ranks sum to 2"));
    EXPECT_THAT(graphOf("matrix", {{"matrix", matrix(kUneven)}})->check(4)->message, HasSubstr("W has 3 rows, and 4"));
}

const GraphTrial::Add kMatrixTrial{{.graph = "matrix", .fields = {{"matrix", matrix(kUneven)}}, .sizes = {3}}};

}  // namespace
}  // namespace dasgd::test
