#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TriedPolicy tried(std::int64_t gradients, std::int64_t growth, int workers) {
    const ServerPolicy::Facts facts{.workers = workers};
    return {policyOf("k_async", {{"gradients", integer(gradients)}, {"growth", integer(growth)}}, facts), facts};
}

TEST(KAsync, TheFirstGradientsMakeAnUpdateAndTheirWorkersStart) {
    TriedPolicy policy = tried(2, 0, 3);
    EXPECT_THAT(policy.push(2), IsEmpty());
    EXPECT_FALSE(policy.mayStart(2));
    auto made = policy.push(0);
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made[0].workers, ElementsAre(0, 2));
    EXPECT_TRUE(policy.mayStart(0));
    EXPECT_TRUE(policy.mayStart(2));
    // Worker 1 is of older weights, and counts.
    EXPECT_THAT(policy.push(1), IsEmpty());
    made = policy.push(2);
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made[0].workers, ElementsAre(1, 2));
}

// K = 1 for two updates, 2 for two, then 3, which are all.
TEST(KAsync, GrowsToAllWorkers) {
    TriedPolicy policy = tried(1, 2, 3);
    std::vector<std::size_t> sizes;
    while (sizes.size() < 8) {
        for (const int worker : {0, 1, 2}) {
            for (const auto& update : policy.push(worker)) sizes.push_back(update.workers.size());
        }
    }
    sizes.resize(8);
    EXPECT_THAT(sizes, ElementsAre(1, 1, 2, 2, 3, 3, 3, 3));
}

TEST(KAsync, WhatIsHeldAtTheEndMakesALastUpdate) {
    TriedPolicy policy = tried(3, 0, 3);
    EXPECT_THAT(policy.push(1), IsEmpty());
    policy.policy().noneFollows();
    const auto last = policy.policy().nextUpdate();
    ASSERT_TRUE(last);
    EXPECT_THAT(last->workers, ElementsAre(1));
    EXPECT_FALSE(policy.policy().nextUpdate());
}

TEST(KAsync, MoreGradientsThanWorkersAreRefused) {
    const auto algorithm =
        readExperiment(servedBy({.workers = 3}, "k_async", {{"gradients", integer(4)}})).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4, .parameterShapes = {{3}}});
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->message, HasSubstr("gradients is 4, but only 3 of the ranks train"));
}

const AlgorithmTrial::Add kKAsyncTrial{
    {.algorithm = "k_async", .fields = {{"gradients", integer(1)}, {"growth", integer(5)}}, .repeats = false}};

}  // namespace
}  // namespace dasgd::test
