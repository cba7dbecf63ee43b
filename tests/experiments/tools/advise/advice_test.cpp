#include "experiments/tools/advise/advice.h"

#include <gmock/gmock.h>

#include <cmath>

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

// R = 143 ms / (8 · 60 ms) = 0.298: on G workers a step takes 480/G + 143 ms.
TEST(Advice, SizesTheWorkersToAnEfficiency) {
    const auto efficiency = [](std::int64_t workers) { return 0.623 / (0.480 + 0.143 * static_cast<double>(workers)); };
    for (const double wanted : {0.3, 0.5, 0.9}) {
        const std::int64_t most = advise(facts(), 0.03, wanted).efficientWorkers;
        EXPECT_GE(efficiency(most), wanted);
        EXPECT_LT(efficiency(most + 1), wanted);
    }
    EXPECT_THAT(advise(facts(), 0.03, 0.5).why, Contains(HasSubstr("Efficiency: 50.0 % of a linear speed-up where the "
                                                                   "batch of all 8 workers is divided among at most 5 "
                                                                   "workers")));
    EXPECT_THAT(advise(facts(), 0.03).why, Contains(HasSubstr("keep less than 90.0 % of a linear speed-up")));
    ClusterFacts immediate = facts();
    immediate.reduceSeconds = 0;
    EXPECT_EQ(advise(immediate, 0.03).efficientWorkers, 0) << "any number";
}

// All-to-all and all-gather of an eighth of a byte a weight: 3.2 MB each for a rank, 7·(25 µs + 0.4 MB·0.8 ns) there
// and as much back.
ClusterFacts shardedFacts() {
    ClusterFacts made = facts();
    made.compressed = CompressedExchange{.why = "",
                                         .stages = {{CompressedExchange::Collective::AllToAll, 3'200'000},
                                                    {CompressedExchange::Collective::AllGather, 400'000}},
                                         .passes = {.encode = 4, .recode = 2, .decode = 1}};
    made.coding = {.encode = 3, .decode = 4};
    return made;
}

TEST(Advice, GivesEachStageOfACompressedExchangeItsHalfOfTheDelay) {
    ClusterFacts sharded = shardedFacts();
    sharded.reduceSeconds = allReduceByFormula(sharded, sharded.bytes, sharded.workers);
    const double stage = 7 * (25e-6 + 0.4e6 * 8e-10);
    const Advice advice = advise(sharded, 0.03);
    EXPECT_NEAR(advice.exchange.first, stage, 1e-12);
    EXPECT_NEAR(advice.exchange.second, stage, 1e-12);
    EXPECT_EQ(advice.delay, 2) << "one step beside each stage";
    EXPECT_TRUE(advice.hides);
    EXPECT_EQ(advice.delayBatch, 0) << "no batch: the second stage leaves at the merge";
    EXPECT_EQ(advice.parameterServers, 0);
    EXPECT_THAT(advice.why, Contains(HasSubstr("a compressed average takes T_1 = 2.4")));
    EXPECT_THAT(advice.why, Not(Contains(HasSubstr("servers"))));
    EXPECT_THAT(advice.why, Not(Contains(HasSubstr("Batch:"))));
    EXPECT_FALSE(syncHiding(sharded, 1e6, 25e6));
    sharded.stepSeconds = 0.0012;  // T_1 takes 2.01 steps
    EXPECT_EQ(advise(sharded, 0.03).delay, 6);
    // As much slower than its formula as the measured all-reduce is.
    sharded.reduceSeconds *= 2;
    EXPECT_NEAR(advise(sharded, 0.03).exchange.first, 2 * stage, 1e-12);
}

TEST(Advice, LengthensThePeriodUntilCodingIsAffordable) {
    ClusterFacts sharded = shardedFacts();
    sharded.memoryBytesPerSecond = 102e9;  // a pass takes 1 ms
    const Advice advice = advise(sharded, 0.03);
    EXPECT_NEAR(advice.exchange.coding(), 14e-3, 1e-9);
    // 14 passes of coding and 7 of a snapshot and a merge: 21 ms in 1.8 ms a step.
    EXPECT_EQ(advice.period, 12);
    EXPECT_NEAR(advice.overhead, 0.021 / 12 / 0.060, 1e-6);
    EXPECT_THAT(advice.why, Contains(HasSubstr("coding, snapshots and merges")));
    ClusterFacts gathered = facts();
    gathered.compressed = CompressedExchange{
        .why = "", .stages = {{CompressedExchange::Collective::AllGather, 12'000'000}}, .passes = {}};
    // 7·(25 µs + 9.6 ms) = 67 ms, in two steps, or in one of 36 samples.
    EXPECT_EQ(advise(gathered, 0.03).delay, 2);
    EXPECT_EQ(advise(gathered, 0.03).delayBatch, 36);
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
    // T_m is 0.99895 of its formula. That leaves 180.19 ms − 163.2 ms·(P−1)/P for 2(P−1) messages of 25 µs: 17.45 of
    // 17.46 ms for P = 350, and 17.50 of 17.45 for one more.
    EXPECT_EQ(advice.mostWorkers, 350);
    EXPECT_EQ(advice.parameterServers, 8) << "2·81.6 ms · 8/7 = 186.5 ms by seven, and 180 ms are three steps";
    ClusterFacts immediate = facts();
    immediate.link.alpha = 0;
    EXPECT_EQ(advise(immediate, 0.03).mostWorkers, 0) << "no limit";
}

// Each worker's own port is the limit from as many servers as workers on.
TEST(Advice, SaysWhereNoNumberOfServersWouldDo) {
    ClusterFacts quick = facts();
    quick.stepSeconds = 0.050;  // d = 3: 150 ms, and 2·81.6 ms are 163
    const Advice advice = advise(quick, 0.03);
    EXPECT_EQ(advice.delay, 3);
    EXPECT_EQ(advice.parameterServers, 0);
    EXPECT_THAT(advice.why, Contains(HasSubstr("No number of parameter servers")));
}

// Four workers that train LeNet over 200 Mbit/s and 0.1 ms, 4 ms a step that scatters by 10 %, κ = 0.05, as the file
// says: T_m is 15.41 ms, and 12 steps later the last of four ranks is 1.43 ms behind. Five steps of 4 ms hold both; so
// does one of 68/16·4 ms; and 20 ms hold what seven workers need, 18.13 ms, beside it, and not what eight do, 18.68 ms.
TEST(Advice, EverySentenceLeavesRoomForTheSpread) {
    ClusterFacts lenet{.workers = 4,
                       .stepSeconds = 0.004,
                       .backwardShare = 0.6,
                       .reduceSeconds = 0.01540944,
                       .bytes = 246824,
                       .jitter = 0.10025,
                       .contention = 0.05,
                       .memoryBytesPerSecond = 10e9,
                       .link = {.alpha = 100e-6, .beta = 8 / 200e6},
                       .batchSize = 16};
    const Advice advice = advise(lenet, 0.02);
    EXPECT_EQ(advice.period, 12);
    EXPECT_NEAR(advice.spreadSeconds, 1.0294 * 0.10025 * 0.004 * std::sqrt(12.0), 1e-6);
    EXPECT_EQ(advice.delay, 5);
    EXPECT_EQ(advice.delayBatch, 68);
    EXPECT_EQ(advice.mostWorkers, 7);
    EXPECT_THAT(advice.why, Contains("Batch: from 68 samples a worker on a delay of one step would do, with ranks as "
                                     "far apart as now."));
    EXPECT_THAT(advice.why,
                Contains("Workers: this delay hides an average of up to 7 of them, with ranks as far apart as now."));
    // A probe of the same cluster measured 3.9383 ms, κ = 0.0807 and 1.4410 ms behind.
    ClusterFacts measured = lenet;
    measured.stepSeconds = 0.0039383;
    measured.contention = 0.0807;
    measured.jitter = 0.001441 / (1.0294 * 0.0039383 * std::sqrt(17.0));
    EXPECT_EQ(advise(measured, 0.02).period, 17);
    EXPECT_EQ(advise(measured, 0.02).delayBatch, 69) << "16 · 16.85/3.9383 = 68.5 samples";
    EXPECT_EQ(advise(measured, 0.02).mostWorkers, 7);
    // The longest delay covers this transfer, but not the ranks' scatter in addition.
    lenet.reduceSeconds = 256 * 0.004 - 1e-4;
    EXPECT_FALSE(advise(lenet, 0.02).hides);
    lenet.jitter = 0;
    EXPECT_TRUE(advise(lenet, 0.02).hides);
}

ClusterFacts withGradients() {
    ClusterFacts known = facts();
    known.gradientBytes = {10e6, 20e6, 30e6, 42e6};
    known.gradientShares = {0.25, 0.25, 0.25, 0.25};
    return known;
}

// Buckets of 42, 30 and 10 + 20 MB leave when 75, 50 and 0 % of the backward pass are still to come, and
// take 59.1, 42.3 and 42.3 ms. The second needs 42.3 ms of half a pass, 90.3 samples, the first both of three quarters,
// 144.2 samples.
TEST(SyncHiding, HasRoomForAllButTheLastBucket) {
    const auto hiding = syncHiding(withGradients(), 1e6, 25e6);
    ASSERT_TRUE(hiding);
    EXPECT_EQ(hiding->buckets, 3U);
    EXPECT_NEAR(hiding->most, 101.39 / 143.70, 1e-4);
    EXPECT_EQ(hiding->batch, 145);
    EXPECT_EQ(inWords(*hiding),
              "Synchronous SGD hides at most 70.6 % of its transfers, from 145 samples a worker on: the last of its "
              "buckets leaves when the backward pass has ended.");
    ClusterFacts jittery = withGradients();
    jittery.jitter = 0.1;  // of eight ranks the last is 8.5 ms behind: 109.9 ms of three quarters, 156.4 samples
    EXPECT_EQ(syncHiding(jittery, 1e6, 25e6)->batch, 157);
}

// LeNet is one, and was measured at 0.0 hidden with 105 samples a worker and with 1,050.
TEST(SyncHiding, OfOneBucketHidesNothingWithAnyBatch) {
    const auto hiding = syncHiding(withGradients(), 200e6, 25e6);
    ASSERT_TRUE(hiding);
    EXPECT_EQ(hiding->buckets, 1U);
    EXPECT_EQ(hiding->most, 0);
    EXPECT_EQ(hiding->batch, 0);
    EXPECT_THAT(inWords(*hiding), HasSubstr("hides nothing with any batch: its gradients are one bucket"));
}

// The gradients of a model that shares its weights may all come at the end.
TEST(SyncHiding, CountsNoBucketThatLeavesAtTheEnd) {
    ClusterFacts late = withGradients();
    late.gradientShares = {0, 0, 0.5, 0.5};
    const auto hiding = syncHiding(late, 1e6, 25e6);
    EXPECT_NEAR(hiding->most, 59.09 / 143.70, 1e-4) << "the first alone";
    late.gradientShares = {0, 0, 0, 1};
    EXPECT_THAT(inWords(*syncHiding(late, 1e6, 25e6)), HasSubstr("hides nothing with any batch: its buckets leave"));
}

TEST(SyncHiding, IsNotKnownWithoutGradients) {
    EXPECT_FALSE(syncHiding(facts(), 1e6, 25e6));
    ClusterFacts other = withGradients();
    other.allReduce.reset();
    EXPECT_FALSE(syncHiding(other, 1e6, 25e6));
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
    EXPECT_THAT(advice.why, Contains("Workers: this delay hides an average of up to 2 of them."));
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
