#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

Fields dssp(std::int64_t staleness, std::int64_t extra, bool bounded) {
    return {{"staleness", integer(staleness)}, {"extra", integer(extra)}, {"bounded", boolean(bounded)}};
}

TriedPolicy tried(std::int64_t staleness, std::int64_t extra, bool bounded, int workers) {
    const ServerPolicy::Facts facts{.workers = workers};
    return {policyOf("dssp", dssp(staleness, extra, bounded), facts), facts};
}

// The slow worker pushed at 100 and takes 100; the fast one pushes every 30, last at 150. Of its next pushes at 180,
// 210, 240, … the second is 10 from that of the slow one at 200, and the fifth is when the slow one pushes once more.
TEST(Dssp, GrantsTheStepsThatMeetAPushOfTheSlowestWorker) {
    for (const auto& [extra, granted] : {std::pair(1, 1), std::pair(4, 2), std::pair(5, 5), std::pair(12, 5)}) {
        TriedPolicy policy = tried(2, extra, false, 2);
        EXPECT_TRUE(policy.startsAfterPush(0, 60));
        EXPECT_TRUE(policy.startsAfterPush(0, 90));
        EXPECT_TRUE(policy.startsAfterPush(1, 100));
        EXPECT_TRUE(policy.startsAfterPush(0, 120)) << "a lead of 2";
        EXPECT_EQ(policy.policy().takeMetrics().at(0).second, 0);
        EXPECT_TRUE(policy.startsAfterPush(0, 150)) << "a lead of 3, and a grant";
        EXPECT_EQ(policy.policy().takeMetrics().at(0).second, granted) << "extra = " << extra;
    }
}

// A lead of 2 is above the bound. Nothing can be predicted of a worker that has not pushed.
TEST(Dssp, GrantsNothingBeforeTheSlowestWorkerHasPushed) {
    TriedPolicy policy = tried(1, 12, false, 2);
    EXPECT_TRUE(policy.startsAfterPush(0, 10));
    EXPECT_FALSE(policy.startsAfterPush(0, 20));
    EXPECT_TRUE(policy.startsAfterPush(1, 30));
    EXPECT_TRUE(policy.mayStart(0)) << "its lead is 1 now";
}

// Workers at steady unequal speeds, in plain events: who pushes starts when it may.
struct Race {
    std::vector<std::int64_t> clocks;
    std::int64_t lead = 0;  // the largest at a start
    Ns end = 0;
};
Race raced(TriedPolicy policy, const std::vector<Ns>& stepTimes, std::int64_t steps) {
    const auto workers = stepTimes.size();
    std::vector<Ns> due(stepTimes);
    std::set<std::size_t> waiting;
    Race race;
    const auto& clocks = policy.clocks();
    while (std::ranges::max(clocks) < steps) {
        std::size_t next = workers;
        for (std::size_t i = 0; i < workers; ++i) {
            if (!waiting.contains(i) && (next == workers || due[i] < due[next])) next = i;
        }
        race.end = due[next];
        static_cast<void>(policy.push(static_cast<int>(next), race.end));
        waiting.insert(next);
        for (const std::size_t i : std::vector<std::size_t>(waiting.begin(), waiting.end())) {
            if (!policy.mayStart(static_cast<int>(i))) continue;
            race.lead = std::max(race.lead, clocks[i] - std::ranges::min(clocks));
            waiting.erase(i);
            due[i] = race.end + stepTimes[i];
        }
    }
    race.clocks = clocks;
    return race;
}

// As written the fast worker runs as if nothing held it; theorem 2 holds for `bounded` alone, and then the slow one
// sets the pace in the long run.
TEST(Dssp, AtSteadySpeedsItIsAsynchronousUnlessItIsBounded) {
    const Race free = raced(tried(3, 12, false, 2), {1000, 2700}, 300);
    EXPECT_EQ(free.end, 300 * 1000);
    EXPECT_GT(free.lead, 3 + 12);
    const Race bounded = raced(tried(3, 12, true, 2), {1000, 2700}, 300);
    EXPECT_LE(bounded.lead, 3 + 12);
    EXPECT_GT(bounded.end, 2 * free.end);
}

TEST(Dssp, ABoundedLeadIsAtMostStalenessAndExtraForAnySpeeds) {
    std::mt19937 random(3);
    for (int setting = 0; setting < 200; ++setting) {
        std::vector<Ns> stepTimes;
        for (unsigned i = 0; i < 2 + random() % 4; ++i) stepTimes.push_back(100 + random() % 1000);
        const std::int64_t staleness = random() % 4, extra = random() % 10;
        const Race race = raced(tried(staleness, extra, true, static_cast<int>(stepTimes.size())), stepTimes, 100);
        EXPECT_LE(race.lead, staleness + extra) << "setting " << setting;
    }
}

// Algorithm 2 by trying all pairs.
std::int64_t bestGrant(const std::array<Ns, 2>& slow, const std::array<Ns, 2>& fast, std::int64_t extra) {
    Ns least = INT64_MAX;
    std::int64_t best = 0;
    for (std::int64_t r = 0; r <= extra; ++r) {
        for (std::int64_t k = 0; k <= extra; ++k) {
            const Ns distance = std::abs(slow[0] + (k + 1) * (slow[0] - slow[1]) - fast[0] - r * (fast[0] - fast[1]));
            if (distance >= least) continue;
            least = distance;
            best = r;
        }
    }
    return best;
}

TEST(Dssp, TheGrantIsTheBestOfAllPairs) {
    std::mt19937 random(5);
    int granted = 0;
    for (int setting = 0; setting < 1000; ++setting) {
        const auto extra = static_cast<std::int64_t>(random() % 15);
        TriedPolicy policy = tried(1, extra, false, 2);
        const Ns slow = 1 + random() % 1000, first = slow + random() % 300, second = first + 1 + random() % 300,
                 third = second + 1 + random() % 300;
        EXPECT_TRUE(policy.startsAfterPush(1, slow));
        EXPECT_TRUE(policy.startsAfterPush(0, first));
        EXPECT_TRUE(policy.startsAfterPush(0, second)) << "a lead of 1";
        const std::int64_t best = bestGrant({slow, 0}, {third, second}, extra);
        EXPECT_EQ(policy.startsAfterPush(0, third), best > 0) << "setting " << setting;
        EXPECT_EQ(policy.policy().takeMetrics().at(0).second, static_cast<double>(best)) << "setting " << setting;
        granted += best > 0 ? 1 : 0;
    }
    EXPECT_GT(granted, 300);
}

const AlgorithmTrial::Add kDsspTrial{
    {.algorithm = "dssp", .fields = {{"staleness", integer(1)}, {"extra", integer(2)}}, .repeats = false}};

}  // namespace
}  // namespace dasgd::test
