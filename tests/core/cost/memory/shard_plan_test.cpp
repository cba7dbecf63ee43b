#include "core/cost/memory/shard_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace dasgd {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr StateBytes kAdam = stateOfOneType(4, 2);

std::vector<PlannedLayer> layersOf(const std::vector<double>& parameters, int ranks, const LinkCost& link) {
    std::vector<PlannedLayer> layers;
    for (const double one : parameters) layers.push_back(plannedLayer(one, kAdam, ranks, link));
    return layers;
}

TEST(ShardPlan, CountsALayerAsTheFormulasDo) {
    const LinkCost bandwidthOnly{.beta = 1e-9};
    const PlannedLayer layer = plannedLayer(1000, kAdam, 4, bandwidthOnly);
    EXPECT_DOUBLE_EQ(layer.wholeSeconds, 2 * 0.75 * 4000 * 1e-9);
    EXPECT_DOUBLE_EQ(layer.dividedSeconds, 3 * 0.75 * 4000 * 1e-9);
    EXPECT_DOUBLE_EQ(layer.wholeBytes, 16'000);
    EXPECT_DOUBLE_EQ(layer.dividedBytes, 4000);
    EXPECT_DOUBLE_EQ(layer.dividedBytes + layer.gatheredBytes, 4000 + 0.75 * 8000) << "its weights and gradients whole";
}

TEST(ShardPlan, KeepsEverythingWholeWithoutALimit) {
    const auto layers = layersOf({3e6, 1e6, 2e6, 5e5}, 8, {.alpha = 1e-5, .beta = 1e-10});
    const auto plan = planShards(layers, std::numeric_limits<double>::infinity());
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->isDivided, Each(false));
    EXPECT_DOUBLE_EQ(plan->bytes, 16 * 6.5e6);
}

// All 2^n choices, by planOf() alone.
ShardPlan bruteForce(const std::vector<PlannedLayer>& layers, double limit) {
    ShardPlan best{.seconds = std::numeric_limits<double>::infinity()};
    for (std::uint32_t choice = 0; choice < 1U << layers.size(); ++choice) {
        std::vector<bool> isDivided(layers.size());
        for (std::size_t i = 0; i < layers.size(); ++i) isDivided[i] = (choice >> i & 1U) != 0;
        ShardPlan plan = planOf(layers, std::move(isDivided));
        if (plan.bytes <= limit && plan.seconds < best.seconds) best = std::move(plan);
    }
    return best;
}

TEST(ShardPlan, IsTheBestOfAllChoices) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> size(1, 2'000'000);
    for (const std::size_t count : {1U, 2U, 3U, 7U, 12U, 16U}) {
        for (const LinkCost& link : {LinkCost{.beta = 1e-9}, LinkCost{.alpha = 1e-3, .beta = 1e-10}}) {
            std::vector<double> parameters;
            for (std::size_t i = 0; i < count; ++i) parameters.push_back(size(random));
            const auto layers = layersOf(parameters, 4, link);
            const double least = leastMemory(layers).bytes;
            const double whole = planOf(layers, std::vector<bool>(count, false)).bytes;
            for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
                const double limit = least + share * (whole - least);
                const auto plan = planShards(layers, limit);
                ASSERT_TRUE(plan) << plan.error().message;
                const ShardPlan best = bruteForce(layers, limit);
                EXPECT_LE(plan->bytes, limit * (1 + 1e-12));
                EXPECT_NEAR(plan->seconds / best.seconds, 1, 1e-12) << count << " layers, " << share;
            }
        }
    }
}

// Dividing the largest layer can cost more than it saves: it is gathered whole while it computes.
TEST(ShardPlan, MayKeepTheLargestLayerWholeForItsMemory) {
    const std::vector<PlannedLayer> layers{
        {.wholeBytes = 10, .dividedBytes = 5, .gatheredBytes = 8, .wholeSeconds = 1, .dividedSeconds = 2},
        {.wholeBytes = 4, .dividedBytes = 1, .gatheredBytes = 1, .wholeSeconds = 1, .dividedSeconds = 2}};
    const ShardPlan least = leastMemory(layers);
    EXPECT_EQ(least.isDivided, (std::vector<bool>{false, true}));
    EXPECT_EQ(least.bytes, 12);
    EXPECT_TRUE(planShards(layers, 12));
    EXPECT_THAT(planShards(layers, 11.9).error().message, HasSubstr("no choice of layers fits"));
}

TEST(ShardPlan, TakesManyLayersOfManySizes) {
    std::mt19937 random(3);
    std::uniform_int_distribution<int> size(1, 2'000'000);
    std::vector<double> parameters;
    for (int i = 0; i < 60; ++i) parameters.push_back(size(random));
    const auto layers = layersOf(parameters, 4, {.alpha = 1e-5, .beta = 1e-9});
    const double least = leastMemory(layers).bytes;
    const double whole = planOf(layers, std::vector<bool>(layers.size(), false)).bytes;
    const double limit = (least + whole) / 2;
    const auto plan = planShards(layers, limit);
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->bytes, limit * (1 + 1e-12));
    // A tighter limit is never faster, and half of the memory that dividing saves buys about half of its time.
    const auto tight = planShards(layers, (least + limit) / 2);
    ASSERT_TRUE(tight);
    EXPECT_GT(tight->seconds, plan->seconds);
    const double fastest = planOf(layers, std::vector<bool>(layers.size(), false)).seconds;
    const double slowest = planOf(layers, std::vector<bool>(layers.size(), true)).seconds;
    EXPECT_NEAR((plan->seconds - fastest) / (slowest - fastest), 0.5, 0.05);
}

// GPT-2 of the README of OSDP: 48 layers of 12·2048² parameters, in 8 GB; 8 GPUs are assumed, and mixed Adam. The
// published throughput is 192.3 : 158.0 = 1.22 times that of FSDP; what the model can explain is at most the ratio of
// communication. Only compared: nothing depends on the published numbers.
TEST(ShardPlan, ExplainsAtMostHalfAsMuchCommunicationAgain) {
    std::vector<PlannedLayer> layers;
    for (int i = 0; i < 48; ++i) layers.push_back(plannedLayer(12.0 * 2048 * 2048, kMixedAdam, 8, {.beta = 1e-10}));
    const ShardPlan fsdp = planOf(layers, std::vector<bool>(48, true));
    const auto osdp = planShards(layers, 8192e6);
    ASSERT_TRUE(osdp);
    EXPECT_LT(fsdp.bytes, 5656.91e6) << "the published use of FSDP has activations besides";
    const double gain = fsdp.seconds / osdp->seconds;
    EXPECT_GT(gain, 1);
    EXPECT_LT(gain, 1.5);
    EXPECT_GT(1262.0 / 453, 1.5) << "more than communication alone allows in the published row of OPT";
}

}  // namespace
}  // namespace dasgd
