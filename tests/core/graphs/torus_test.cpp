#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Torus, HasAFifthOfEachOfFourNeighbours) {
    const Rows rows = rowsOf("torus", 9);
    EXPECT_EQ(rows[4], (std::vector<double>{0, 0.2, 0, 0.2, 0.2, 0.2, 0, 0.2, 0}));
    EXPECT_EQ(rows[0], (std::vector<double>{0.2, 0.2, 0.2, 0.2, 0, 0, 0.2, 0, 0})) << "rows and columns are rings";
    EXPECT_EQ(rowsOf("torus", 4)[0], (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3, 0})) << "2 × 2: equal ones merge";
    EXPECT_EQ(rowsOf("torus", 7), rowsOf("ring", 7)) << "of a prime number it is a ring";
    EXPECT_EQ(rowsOf("torus", 6, {{"rows", integer(1)}}), rowsOf("ring", 6));
}

TEST(Torus, RowsThatDoNotDivideTheRanksAreRefused) {
    EXPECT_THAT(graphOf("torus", {{"rows", integer(4)}})->check(6)->message,
                ::testing::HasSubstr("rows is 4, which does not divide 6 ranks"));
}

const GraphTrial::Add kTorusOfRowsTrial{
    {.graph = "torus", .fields = {{"rows", integer(3)}}, .sizes = {1, 3, 6}, .what = "rows"}};
const GraphTrial::Add kTorusTrial{{.graph = "torus", .sizes = {1, 2, 4, 6, 7, 9, 12}}};

}  // namespace
}  // namespace dasgd::test
