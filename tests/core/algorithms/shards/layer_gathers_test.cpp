// Time and bytes of fully sharded data parallel, held to a walk through its passes with a clock for the link.
#include "core/algorithms/shards/layer_gathers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr int kSharers = 4;
constexpr double kPasses = 0.020, kForward = 0.25 * kPasses;
constexpr double kLayerBytes = 4.0 * 128 * 128;
// Of the backward pass, in the order of the layers.
const std::vector<double> kGradientShares{0.1, 0.2, 0.3, 0.4};

// Four equal layers. `layersInBucket`: 1 or 4.
Value sharedByAll(double bandwidth, int layersInBucket, std::int64_t accumulate = 1) {
    const double mb = layersInBucket * kLayerBytes / 1048576;
    return table(
        {{"algorithm", table({{"name", text("zero_sgd")},
                              {"stage", integer(3)},
                              {"bucket_mb", number(mb)},
                              {"first_bucket_mb", number(mb)}})},
         {"model",
          table({{"name", text("layer_table")}, {"dense", matrix({{128, 128}, {128, 128}, {128, 128}, {128, 128}})}})},
         {"train", table({{"steps", integer(20)}, {"batch_size", integer(8)}, {"accumulate", integer(accumulate)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kSharers)}})},
         {"network", table({{"name", text("star")},
                            {"bandwidth", text(std::to_string(bandwidth / 1e6) + "Mbps")},
                            {"latency", text("50us")}})},
         {"compute", table({{"mode", text("time-only")},
                            {"step_time", text("20ms")},
                            {"forward_share", number(0.25)},
                            {"gradient_shares", vector(kGradientShares)}})}});
}

// A ring's reduce-scatter or all-gather of `bytes` in all.
double ringOf(double bytes, double bandwidth) { return (kSharers - 1) * (50e-6 + bytes / kSharers * 8 / bandwidth); }

// A step of four buckets: a gather leaves as the passes reach the bucket before it, a reduce-scatter as they leave its
// own, and the link carries one after the other.
double walkedStep(double bandwidth) {
    constexpr int kBuckets = 4;
    const double exchange = ringOf(kLayerBytes, bandwidth);
    double now = 0, link = 0;
    const auto leaves = [&] { return link = std::max(link, now) + exchange; };
    double gathered = leaves();
    for (int use = 0; use < 2 * kBuckets; ++use) {
        now = std::max(now, gathered);
        if (use + 1 < 2 * kBuckets) gathered = leaves();
        const bool isForward = use < kBuckets;
        const auto layer = static_cast<std::size_t>(isForward ? use : 2 * kBuckets - 1 - use);
        now += isForward ? kForward / kBuckets : (kPasses - kForward) * kGradientShares[layer];
        if (!isForward) leaves();
    }
    return std::max(now, link);
}

class LayerGathersInSimulatedTime : public testing::TestWithParam<double> {};

TEST_P(LayerGathersInSimulatedTime, LeaveOneBucketAhead) {
    const double bandwidth = GetParam();
    const auto records = trainVirtually(sharedByAll(bandwidth, 1));
    for (const RankRecord& record : records) {
        ASSERT_EQ(record.outcome.error, "");
        EXPECT_NEAR(meanStepSeconds(record), walkedStep(bandwidth), 1e-6);
    }
}

// T_b + T_f or the second gather behind it, and the first gather and the reduce-scatter, behind which there is nothing.
TEST_P(LayerGathersInSimulatedTime, OfOneBucketHideTheSecondGather) {
    const double bandwidth = GetParam(), third = ringOf(4 * kLayerBytes, bandwidth);
    const auto records = trainVirtually(sharedByAll(bandwidth, 4));
    EXPECT_NEAR(meanStepSeconds(records[0]), third + std::max(kForward, third) + (kPasses - kForward) + third, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Bandwidths, LayerGathersInSimulatedTime, testing::Values(20e6, 200e6, 1e9, 20e9));

class LayerBytesInSimulatedTime : public testing::TestWithParam<int> {};

TEST_P(LayerBytesInSimulatedTime, AreThreeHalvesOfAnAllReduces) {
    const auto records = trainVirtually(sharedByAll(1e9, GetParam()));
    const auto& last = records[0].sink.metrics.at("train/step_ms").back();
    EXPECT_EQ(static_cast<double>(last.bytesSent), 20 * 3.0 * (kSharers - 1) / kSharers * 4 * kLayerBytes);
}

INSTANTIATE_TEST_SUITE_P(LayersInABucket, LayerBytesInSimulatedTime, testing::Values(1, 4));

std::string refusedBecause(const Value& document) {
    const auto read = readExperiment(document);
    if (!read) return read.error().message;
    const auto refused = read->makeAlgorithm()->check({.workers = kSharers, .microBatches = read->train.accumulate});
    return refused ? refused->message : "";
}

TEST(LayerGathers, AreForTimeOnlyRunsOfOneBatchAStep) {
    EXPECT_EQ(refusedBecause(sharedByAll(1e9, 1)), "");
    Value trained = sharedByAll(1e9, 1);
    trained.find("compute")->set("mode", text("maths"));
    EXPECT_THAT(refusedBecause(trained), testing::HasSubstr("mode = \"time-only\""));
    EXPECT_THAT(refusedBecause(sharedByAll(1e9, 1, 2)), testing::HasSubstr("train.accumulate asks for several a step"));
}

}  // namespace
}  // namespace dasgd::test
