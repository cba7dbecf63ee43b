#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/graph_trials.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const Rows kUneven{{0.7, 0.2, 0.1}, {0.3, 0.5, 0.2}, {0, 0.3, 0.7}};

TEST(MatrixGraph, IsThatOfTheExperimentOrOfAFile) {
    EXPECT_EQ(rowsOf("matrix", 3, {{"matrix", matrix(kUneven)}}), kUneven);
    const TempDir folder;
    const std::string path = (folder / "w.csv").string();
    std::ofstream(path) << "# weights\n0.7, 0.2,0.1\r\n0.3,0.5,0.2\n\n0,0.3,0.7\n";
    EXPECT_EQ(rowsOf("matrix", 3, {{"path", text(path)}}), kUneven);
    const Graph::Mix mix = graphOf("matrix", {{"path", text(path)}})->mix({.size = 3}, 2);
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
    EXPECT_THAT(refused({}), HasSubstr("give either matrix, its rows of numbers, or path"));
    // The mean would go to rank 0.
    EXPECT_THAT(graphOf("matrix", {{"matrix", matrix({{1, 0}, {1, 0}})}})->check(2)->message,
                HasSubstr("rank 0 has at all ranks sum to 2"));
    EXPECT_THAT(graphOf("matrix", {{"matrix", matrix(kUneven)}})->check(4)->message, HasSubstr("W has 3 rows, and 4"));
    const TempDir folder;
    const std::string path = (folder / "w.csv").string();
    std::ofstream(path) << "1,0\n0,one\n";
    EXPECT_THAT(graphOf("matrix", {{"path", text(path)}})->check(2)->message, HasSubstr("w.csv:2: 'one' is no number"));
    EXPECT_THAT(graphOf("matrix", {{"path", text(path + "x")}})->check(2)->message, HasSubstr("cannot read"));
}

const GraphTrial::Add kMatrixTrial{{.graph = "matrix", .fields = {{"matrix", matrix(kUneven)}}, .sizes = {3}}};

}  // namespace
}  // namespace dasgd::test
