#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
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

// A file is read when the graph is opened; what a run's record has instead of its name makes the same graph.
TEST(MatrixGraph, IsReadFromAFileOfRows) {
    const TempDir folder;
    static_cast<void>(folder.write("w.csv", "0.7, 0.2 ,1e-1\r\n\n 0.3,0.5,0.2\n0,0.3,0.7"));
    const auto graph = graphOf("matrix", {{"path", text("w.csv")}});
    const auto recorded = graph->open(folder.path());
    ASSERT_TRUE(recorded) << recorded.error().message;
    EXPECT_EQ(matrixOf(*graph, {.size = 3}), kUneven);
    EXPECT_TRUE(sameData(Value(*recorded), table({{"matrix", matrix(kUneven)}, {"path", text("")}})));
    EXPECT_EQ(rowsOf("matrix", 3, *recorded), kUneven);
    EXPECT_EQ(graph->check(4)->field, "path");
    EXPECT_TRUE(graphOf("matrix", {{"matrix", matrix(kUneven)}})->open(folder.path()).value().empty());
}

TEST(MatrixGraph, WhatIsWrongInAFileHasItsPlace) {
    const TempDir folder;
    const auto refused = [&](const std::string& content) {
        static_cast<void>(folder.write("w.csv", content));
        const auto read = graphOf("matrix", {{"path", text("w.csv")}})->open(folder.path());
        return read ? "" : read.error().message;
    };
    EXPECT_THAT(refused("1, 0\n0, 1.0x\n"),
                AllOf(HasSubstr("w.csv:2:4: '1.0x' is no number"), HasSubstr("as 0.5, 0.25")));
    EXPECT_THAT(refused("1, 0\n0,, 1\n"), HasSubstr("w.csv:2:3: '' is no number"));
    EXPECT_THAT(refused("inf, 0\n0, 1\n"), HasSubstr("w.csv:1:1: 'inf' is no number"));
    EXPECT_THAT(refused("1, 0\n\n0.5, 0.4\n"), HasSubstr("w.csv:3:1: row 2 of W sums to 0.9"));
    EXPECT_THAT(refused("1, 0\n1\n"), HasSubstr("w.csv:2:1: row 2 of W has 1 numbers; W has 2 rows"));
    EXPECT_THAT(refused("\n"), HasSubstr("w.csv: has no row"));
    const auto none = graphOf("matrix", {{"path", text("none.csv")}})->open(folder.path());
    EXPECT_THAT(none.error().message, HasSubstr("none.csv: cannot be read"));
    const auto twice =
        GraphRegistry::find("matrix")->create(table({{"matrix", matrix({{1}})}, {"path", text("w.csv")}}), {});
    EXPECT_THAT(twice.error().message, HasSubstr("given twice: remove path, or matrix"));
}

const GraphTrial::Add kMatrixTrial{{.graph = "matrix", .fields = {{"matrix", matrix(kUneven)}}, .sizes = {3}}};

}  // namespace
}  // namespace dasgd::test
