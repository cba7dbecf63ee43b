#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Fields switching(std::int64_t syncSteps, double rate, const std::string& momentum = "keep") {
    return {{"sync_steps", integer(syncSteps)}, {"sync_rate", number(rate)}, {"momentum", text(momentum)}};
}

TEST(SyncSwitch, MakesOneUpdateAStepAtTheLargerRateUntilItSwitches) {
    const ServerPolicy::Facts facts{.workers = 2};
    for (const auto& [rate, expected] : {std::pair(0.0, 2.0), std::pair(5.0, 5.0)}) {
        TriedPolicy policy(policyOf("sync_switch", switching(2, rate, "reset"), facts), facts);
        for (int step = 0; step < 2; ++step) {
            EXPECT_THAT(policy.push(1), IsEmpty());
            EXPECT_FALSE(policy.mayStart(1));
            const auto made = policy.push(0);
            ASSERT_THAT(made, SizeIs(1));
            EXPECT_THAT(made[0].workers, ElementsAre(0, 1));
            EXPECT_EQ(made[0].rate, expected);
            EXPECT_FALSE(made[0].forgetsMomentum);
            EXPECT_TRUE(policy.mayStart(0));
            EXPECT_TRUE(policy.mayStart(1));
        }
        for (int step = 0; step < 3; ++step) {
            const auto made = policy.push(1);
            ASSERT_THAT(made, SizeIs(1));
            EXPECT_THAT(made[0].workers, ElementsAre(1));
            EXPECT_EQ(made[0].rate, 1);
            EXPECT_EQ(made[0].forgetsMomentum, step == 0) << "once";
            EXPECT_TRUE(policy.mayStart(1));
        }
    }
}

// A run that is resumed behind the switch has forgotten what was to be forgotten; at the switch it has not.
TEST(SyncSwitch, ForgetsTheMomentumOnceThoughTheRunIsResumed) {
    for (const auto& [completed, forgets] : {std::pair(3, true), std::pair(4, false)}) {
        const ServerPolicy::Facts facts{.workers = 2, .completed = completed};
        TriedPolicy policy(policyOf("sync_switch", switching(3, 1, "reset"), facts), facts);
        EXPECT_EQ(policy.push(0).at(0).forgetsMomentum, forgets) << "after " << completed << " steps";
    }
}

// P = 2 workers with one objective: bulk-synchronous steps at twice the rate, then single steps, in plain doubles. The
// workers are equally fast, so that their gradients come in turns.
class SyncSwitchMomentum : public ::testing::TestWithParam<std::string> {};

TEST_P(SyncSwitchMomentum, InSimulatedTimeStepsAsTheSerialServerDoes) {
    const QuadraticProblem problem{.workers = 2, .steps = 40, .rate = 0.02, .equalTargets = true};
    Vec w = problem.start, velocity(3, 0);
    const auto step = [&](const Vec& gradient, double rate) {
        for (std::size_t j = 0; j < w.size(); ++j) {
            velocity[j] = problem.momentum * velocity[j] + gradient[j];
            w[j] -= rate * velocity[j];
        }
    };
    for (int k = 0; k < 15; ++k) step(problem.gradient(w, problem.target(0)), 2 * problem.rate);
    if (GetParam() == "reset") velocity.assign(3, 0);
    Workers reads(2, w);
    Trajectory expected;
    for (int k = 15; k < 40; ++k) {
        for (Vec& one : reads) {
            step(problem.gradient(one, problem.target(0)), problem.rate);
            one = w;
        }
        expected.push_back(reads);
    }
    const auto records =
        trainVirtually(servedVirtuallyBy(problem, "sync_switch", switching(15, 0, GetParam()), {1, 1, 1}));
    Trajectory got = workersOf(records, problem);
    got.erase(got.begin(), got.begin() + 16);
    expectSame(got, expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, SyncSwitchMomentum, ::testing::Values("keep", "reset"),
                         [](const auto& info) { return info.param; });

const AlgorithmTrial::Add kSyncSwitchTrial{
    {.algorithm = "sync_switch",
     .fields = {{"sync_steps", integer(4)}, {"sync_rate", number(1)}, {"momentum", text("reset")}},
     .repeats = false}};

}  // namespace
}  // namespace dasgd::test
