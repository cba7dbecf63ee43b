#include <gmock/gmock.h>

#include "core/base/check.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Fields elastic(std::int64_t lookahead, std::int64_t monitor) {
    return {{"lookahead", integer(lookahead)}, {"monitor", integer(monitor)}};
}

TriedPolicy tried(std::int64_t lookahead, std::int64_t monitor) {
    const ServerPolicy::Facts facts{.workers = 2};
    return {policyOf("elastic_bsp", elastic(lookahead, monitor), facts), facts};
}

// Worker 0 pushes every 10, worker 1 every 25. Monitored until 50, when worker 0 has pushed at 50 too: its pushes at
// 60, 70, … and those of worker 1 at 75, 100, … meet at 100, five and two pushes later.
TEST(ElasticBsp, StopsWhereThePredictedPushesMeet) {
    TriedPolicy policy = tried(15, 2);
    for (const Ns at : {10, 20}) EXPECT_THAT(policy.push(0, at), SizeIs(1));
    EXPECT_THAT(policy.push(1, 25), SizeIs(1));
    for (const Ns at : {30, 40, 50}) EXPECT_THAT(policy.push(0, at), SizeIs(1));
    EXPECT_THAT(policy.push(1, 50), SizeIs(1));
    for (const Ns at : {60, 70, 80, 90}) EXPECT_THAT(policy.push(0, at), SizeIs(1)) << at;
    EXPECT_THAT(policy.push(1, 75), SizeIs(1));
    EXPECT_THAT(policy.push(0, 100), IsEmpty()) << "it waits";
    EXPECT_FALSE(policy.mayStart(0));
    const auto met = policy.push(1, 103);
    ASSERT_THAT(met, SizeIs(1));
    EXPECT_THAT(met[0].workers, ElementsAre(0, 1)) << "one update of both";
    EXPECT_TRUE(policy.mayStart(0));
    EXPECT_TRUE(policy.mayStart(1));
    EXPECT_THAT(policy.policy().takeMetrics(), ElementsAre(std::pair<std::string_view, double>("superstep", 10)));
    EXPECT_THAT(policy.push(0, 113), SizeIs(1)) << "a superstep begins";
}

// With monitor = 0 the first superstep is a step of all; the next is predicted at its barrier.
TEST(ElasticBsp, WithoutMonitoringItPredictsAtTheBarrier) {
    TriedPolicy policy = tried(15, 0);
    EXPECT_THAT(policy.push(0, 10), IsEmpty());
    EXPECT_THAT(policy.push(1, 20), SizeIs(1));
    // From 20 on: 30, 40, … and 40, 60, …
    EXPECT_THAT(policy.push(0, 30), SizeIs(1));
    EXPECT_THAT(policy.push(0, 40), IsEmpty());
    EXPECT_THAT(policy.push(1, 41), SizeIs(1));
}

TEST(ElasticBsp, OfOneStepWithoutMonitoringIsBulkSynchronous) {
    TriedPolicy policy = tried(1, 0);
    for (int step = 1; step <= 20; ++step) {
        EXPECT_THAT(policy.push(1, 30 * step), IsEmpty());
        EXPECT_FALSE(policy.mayStart(1));
        const auto met = policy.push(0, 30 * step + 7);
        ASSERT_THAT(met, SizeIs(1));
        EXPECT_THAT(met[0].workers, ElementsAre(0, 1));
    }
}

// Workers 0 and 1 meet every 3 and 2 steps where their paces are 2 : 3, so that nobody waits for long.
TEST(ElasticBsp, InSimulatedTimeWaitsLessThanABulkSynchronousServer) {
    const QuadraticProblem problem{.workers = 2, .steps = 120, .rate = 0.02, .momentum = 0};
    const auto end = [&](std::int64_t lookahead, std::int64_t monitor) {
        return inChildProcess([&] {
                   const auto records = trainVirtually(
                       servedVirtuallyBy(problem, "elastic_bsp", elastic(lookahead, monitor), {2, 3, 1}));
                   for (const RankRecord& record : records) DASGD_CHECK(record.outcome.error.empty());
                   return std::vector{static_cast<double>(endOfSteps(records[0]))};
               })
            .at(0);
    };
    // 240 gradients: in 120 steps of 9 ms, or at 1/6 + 1/9 a ms.
    const double bulkSynchronous = end(1, 0), elastically = end(15, 2);
    EXPECT_NEAR(bulkSynchronous / elastically, 9 * (1.0 / 6 + 1.0 / 9) / 2, 0.06);
}

TEST(ElasticBsp, OneMonitoredPushIsRefused) {
    const auto refused = readExperiment(servedBy({.workers = 2}, "elastic_bsp", elastic(3, 1)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("set 0, or 2 and more"));
}

const AlgorithmTrial::Add kElasticBspTrial{{.algorithm = "elastic_bsp", .fields = elastic(3, 2), .repeats = false}};

}  // namespace
}  // namespace dasgd::test
