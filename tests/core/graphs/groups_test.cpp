#include <gmock/gmock.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields groupsOf(std::int64_t size, const std::string& pattern, std::int64_t globalEvery = 0) {
    return {{"size", integer(size)}, {"pattern", text(pattern)}, {"global_every", integer(globalEvery)}};
}

TEST(Groups, OfAButterflyDifferInOneDigit) {
    const double a = 1.0 / 3;
    // Base 3: round 0 changes the last digit, round 1 the one before.
    EXPECT_EQ(rowsOf("groups", 9, groupsOf(3, "butterfly"), 0)[4], (std::vector<double>{0, 0, 0, a, a, a, 0, 0, 0}));
    EXPECT_EQ(rowsOf("groups", 9, groupsOf(3, "butterfly"), 1)[4], (std::vector<double>{0, a, 0, 0, a, 0, 0, a, 0}));
}

TEST(Groups, AreFixedOrShuffled) {
    const Rows fixed = rowsOf("groups", 4, groupsOf(2, "fixed"), 3);
    EXPECT_EQ(fixed, (Rows{{0.5, 0.5, 0, 0}, {0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}, {0, 0, 0.5, 0.5}}));
    int changes = 0;
    for (std::int64_t t = 1; t < 20; ++t) {
        changes +=
            rowsOf("groups", 6, groupsOf(3, "shuffled"), t) != rowsOf("groups", 6, groupsOf(3, "shuffled"), t - 1);
    }
    EXPECT_GT(changes, 10);
}

TEST(Groups, AreAllRanksEverySoManyRounds) {
    const Fields fields = groupsOf(2, "fixed", 3);
    EXPECT_EQ(rowsOf("groups", 4, fields, 2), rowsOf("complete", 4));
    EXPECT_EQ(rowsOf("groups", 4, fields, 5), rowsOf("complete", 4));
    EXPECT_EQ(rowsOf("groups", 4, fields, 3), rowsOf("groups", 4, groupsOf(2, "fixed")));
}

TEST(Groups, ThatDoNotFitTheRanksAreRefused) {
    EXPECT_THAT(graphOf("groups", groupsOf(4, "fixed"))->check(6)->message, HasSubstr("does not divide 6 ranks"));
    const auto refused = graphOf("groups", groupsOf(2, "butterfly"))->check(6);
    EXPECT_EQ(refused->field, "pattern");
    EXPECT_THAT(refused->message,
                HasSubstr("needs a power of that number of ranks, not 6: set pattern = \"shuffled\""));
}

const GraphTrial::Add kButterflyTrial{{.graph = "groups", .sizes = {1, 2, 4, 8, 16}}};
const GraphTrial::Add kShuffledTrial{
    {.graph = "groups", .fields = groupsOf(3, "shuffled", 5), .sizes = {1, 3, 6, 9}, .what = "shuffled"}};

}  // namespace
}  // namespace dasgd::test
