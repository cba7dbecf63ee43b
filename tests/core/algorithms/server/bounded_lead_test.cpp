#include "core/algorithms/server/bounded_lead.h"

#include <gmock/gmock.h>

#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TriedPolicy boundOf(std::int64_t staleness, const ServerPolicy::Facts& facts) {
    return {makeBoundedLead(facts, staleness), facts};
}

TEST(BoundedLead, ALeadUpToTheBoundStartsAndOneMoreWaitsForTheSlowest) {
    TriedPolicy policy = boundOf(2, {.workers = 2});
    EXPECT_TRUE(policy.startsAfterPush(0));
    EXPECT_TRUE(policy.startsAfterPush(0));
    EXPECT_FALSE(policy.startsAfterPush(0));
    const auto made = policy.push(1);
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made[0].workers, ElementsAre(1));
    EXPECT_TRUE(policy.mayStart(0));
}

TEST(BoundedLead, WithoutALeadTheLastGradientOfAStepMakesTheUpdateOfAll) {
    TriedPolicy policy = boundOf(0, {.workers = 3, .completed = 7});
    for (int step = 0; step < 3; ++step) {
        EXPECT_THAT(policy.push(2), IsEmpty());
        EXPECT_FALSE(policy.mayStart(2));
        EXPECT_THAT(policy.push(0), IsEmpty());
        const auto made = policy.push(1);
        ASSERT_THAT(made, SizeIs(1));
        EXPECT_THAT(made[0].workers, ElementsAre(0, 1, 2));
        EXPECT_EQ(made[0].rate, 1);
        for (const int worker : {0, 1, 2}) EXPECT_TRUE(policy.mayStart(worker));
    }
}

TEST(BoundedLead, WithoutABoundNobodyWaits) {
    TriedPolicy policy = boundOf(kNoBound, {.workers = 2});
    for (int step = 0; step < 1000; ++step) EXPECT_TRUE(policy.startsAfterPush(1));
}

}  // namespace
}  // namespace dasgd::test
