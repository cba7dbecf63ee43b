#include "experiments/calibrate/advice.h"

#include <gmock/gmock.h>

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

ClusterFacts facts() {
    return {.workers = 8,
            .stepSeconds = 0.060,
            .backwardShare = 0.5,
            .reduceSeconds = 0.143,
            .bytes = 102e6,
            .memoryBytesPerSecond = 1e15,
            .link = {.alpha = 25e-6, .beta = 8e-10},
            .batchSize = 32};
}

TEST(Advice, TakesTheDelayThatHides) {
    // The example of algorithms.md F: T_m ≈ 143 ms, T_c = 60 ms → d = 3, τ ≥ 3.
    const Advice advice = advise(facts(), 0.03);
    EXPECT_EQ(advice.delay, 3);
    EXPECT_EQ(advice.period, 3);
    EXPECT_TRUE(advice.hides);
    EXPECT_NEAR(advice.stepSeconds, 0.060, 1e-6);
    EXPECT_EQ(advice.localWeight, 0);
    EXPECT_EQ(advice.correction, 1);
    EXPECT_THAT(advice.why, Contains(HasSubstr("d = 3: an average takes T_m = 143")));
}

TEST(Advice, GivesScatterRoomInTheDelay) {
    ClusterFacts jittery = facts();
    jittery.jitter = 0.2;  // 12 ms a step; of 8 ranks over 3 steps the last is 1.42·12·√3 = 30 ms behind: 173 of 180 ms
    EXPECT_EQ(advise(jittery, 0.03).delay, 3);
    jittery.jitter = 0.3;  // 44 ms: 187 ms do not fit into 3 steps, and over 4 steps it is 51 ms: 194 of 240 ms
    EXPECT_EQ(advise(jittery, 0.03).delay, 4);
    EXPECT_NEAR(advise(jittery, 0.03).spreadSeconds, 1.4236 * 0.3 * 0.060 * 2, 1e-4);
}

TEST(Advice, LengthensThePeriodUntilContentionIsAffordable) {
    ClusterFacts contended = facts();
    contended.contention = 0.1;
    // 143 ms · 0.1/1.1 = 13 ms a round; 3 % of a step are 1.8 ms, so that it takes 8 steps.
    const Advice advice = advise(contended, 0.03);
    EXPECT_EQ(advice.period, 8);
    EXPECT_EQ(advice.delay, 3);
    EXPECT_NEAR(advice.overhead, 0.013 / 8 / 0.060, 1e-4);
    EXPECT_EQ(advise(contended, 0.3).period, 3) << "who may spend more gets the shortest period that hides";
}

TEST(Advice, SaysThatUnseenContentionCountsAsNone) {
    ClusterFacts unseen = facts();
    unseen.contention = std::nullopt;
    const Advice advice = advise(unseen, 0.03);
    EXPECT_THAT(advice.why, Contains(HasSubstr("was not seen")));
    EXPECT_EQ(advice.period, advise(facts(), 0.03).period);
    EXPECT_THAT(advise(facts(), 0.03).why, Not(Contains(HasSubstr("was not seen"))));
}

TEST(Advice, SaysSoWhereNothingHides) {
    ClusterFacts slow = facts();
    slow.reduceSeconds = 600;
    const Advice advice = advise(slow, 0.03);
    EXPECT_FALSE(advice.hides);
    EXPECT_EQ(advice.period, kLongestPeriod);
    EXPECT_THAT(advice.why, Contains(HasSubstr("too slow for this model and batch")));
}

TEST(Advice, SizesBatchWorkersAndServers) {
    const Advice advice = advise(facts(), 0.03);
    EXPECT_EQ(advice.delayBatch, 77) << "32 · 143/60 = 76.3 samples";
    EXPECT_EQ(advice.syncBatch, 153) << "of which the backward pass is half";
    // 180 ms − 163.2 ms·(P−1)/P for the bytes are left for 2(P−1) messages of 25 µs: 17.25 of 17.27 ms for P = 346, and
    // 17.30 for one more.
    EXPECT_EQ(advice.mostWorkers, 346);
    EXPECT_EQ(advice.parameterServers, 22) << "2·102 MB·8 ÷ (1.25 GB/s · 60 ms) = 21.8";
    ClusterFacts immediate = facts();
    immediate.link.alpha = 0;
    EXPECT_EQ(advise(immediate, 0.03).mostWorkers, 0) << "no limit";
}

// ResNet-18 at 250 Mbit/s: two workers send each byte once, 1.43 s, which three steps of 0.59 s cover; among three it
// would take 1.91 s. Among any number it would be 2.86 s, which no delay of three covers.
TEST(Advice, SaysHowManyWorkersABandwidthCarries) {
    ClusterFacts slow{.workers = 2,
                      .stepSeconds = 0.59,
                      .backwardShare = 0.66,
                      .reduceSeconds = 1.43,
                      .bytes = 44.7e6,
                      .memoryBytesPerSecond = 1e15,
                      .link = {.beta = 8 / 250e6},
                      .batchSize = 16};
    const Advice advice = advise(slow, 0.03);
    EXPECT_EQ(advice.delay, 3);
    EXPECT_EQ(advice.mostWorkers, 2);
    EXPECT_THAT(advice.why, Contains(HasSubstr("up to 2 of them")));
    slow.stepSeconds = 1;
    EXPECT_EQ(advise(slow, 0.03).delay, 2);
    EXPECT_EQ(advise(slow, 0.03).mostWorkers, 3) << "2.86 s·(P−1)/P within 2 s";
}

TEST(Advice, CountsTheStepsThatAMergeKeeps) {
    EXPECT_DOUBLE_EQ(effectiveShare(4, 1, 0.25, 0), 0.8125) << "the published setting: 3.25 of 4 steps";
    EXPECT_DOUBLE_EQ(effectiveShare(4, 4, 0, 1), 1);
    EXPECT_DOUBLE_EQ(effectiveShare(4, 2, 0, 0), 0.5);
}

}  // namespace
}  // namespace dasgd::experiments
