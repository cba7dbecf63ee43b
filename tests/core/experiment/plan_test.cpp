#include "core/experiment/plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace dasgd {
namespace {

// The batches of one epoch as lists: DistributedSampler's share of a rank (torch/utils/data/distributed.py), cut by a
// DataLoader.
std::vector<std::int64_t> torchBatches(std::int64_t samples, std::int64_t workers, std::int64_t batch, bool dropLast) {
    std::int64_t share = 0;
    for (std::int64_t i = 0; i < samples; i += workers) share += !dropLast || i + workers <= samples ? 1 : 0;
    std::vector<std::int64_t> batches;
    for (std::int64_t taken = 0; taken < share; taken += batch) batches.push_back(std::min(batch, share - taken));
    if (dropLast && !batches.empty() && batches.back() < batch) batches.pop_back();
    return batches;
}

TEST(Plan, CutsAnEpochAsTorchDoes) {
    for (const std::int64_t samples : {12, 13, 64, 100, 4000}) {
        for (const std::int64_t workers : {1, 2, 3, 7}) {
            for (const std::int64_t batch : {1, 3, 4}) {
                for (const bool dropLast : {false, true}) {
                    SCOPED_TRACE(testing::Message() << samples << " " << workers << " " << batch << " " << dropLast);
                    const auto expected = torchBatches(samples, workers, batch, dropLast);
                    if (expected.empty() || expected[0] < batch) continue;
                    const Plan plan = planSteps({.samples = samples,
                                                 .workers = workers,
                                                 .batchSize = batch,
                                                 .epochs = 3,
                                                 .dropLast = dropLast});
                    ASSERT_EQ(plan.stepsPerEpoch, static_cast<std::int64_t>(expected.size()));
                    EXPECT_EQ(plan.totalSteps, 3 * plan.stepsPerEpoch);
                    EXPECT_EQ(plan.evalEvery, plan.stepsPerEpoch);
                    EXPECT_EQ(plan.meanEpochSteps(), static_cast<double>(plan.stepsPerEpoch));
                    std::int64_t taken = 0;
                    for (std::int64_t step = 1; step <= plan.totalSteps; ++step) {
                        const auto place = static_cast<std::size_t>((step - 1) % plan.stepsPerEpoch);
                        EXPECT_EQ(plan.batchOf(step), expected[place]) << "step " << step;
                        taken += workers * expected[place];
                        EXPECT_EQ(plan.samplesAfter(step), taken) << "step " << step;
                    }
                    EXPECT_EQ(plan.epochAfter(plan.totalSteps), 3);
                }
            }
        }
    }
}

// A run goes on with another number of workers.
TEST(Plan, FindsThePlaceInTheDataOfOtherWorkers) {
    const auto planOf = [](std::int64_t workers, std::int64_t batch = 4) {
        return planSteps({.samples = 103, .workers = workers, .batchSize = batch, .epochs = 5});
    };
    for (const std::int64_t from : {1, 2, 3, 5}) {
        for (const std::int64_t to : {1, 2, 4, 7}) {
            const Plan before = planOf(from), now = planOf(to);
            for (std::int64_t step = 0; step < before.totalSteps; ++step) {
                SCOPED_TRACE(testing::Message() << from << " to " << to << ", step " << step);
                const std::int64_t same = stepOfSamePlace(before, now, step);
                EXPECT_LE(now.epochAfter(same), before.epochAfter(step));
                EXPECT_GT(now.epochAfter(same + 1), before.epochAfter(step)) << "not a step earlier";
            }
            for (std::int64_t epoch = 0; epoch <= 5; ++epoch) {
                EXPECT_EQ(stepOfSamePlace(before, now, epoch * before.stepsPerEpoch), epoch * now.stepsPerEpoch);
            }
        }
    }
    const Plan idle = planSteps({.workers = 2, .steps = 100}), more = planSteps({.workers = 3, .steps = 100});
    EXPECT_EQ(stepOfSamePlace(idle, more, 30), 20) << "without data by samples";
}

TEST(Plan, AnEpochSeesEverySample) {
    // 2,048 of 4,000 samples were once called an epoch.
    const Plan plan = planSteps({.samples = 4000, .workers = 2, .batchSize = 1024, .epochs = 1});
    EXPECT_EQ(plan.totalSteps, 2);
    EXPECT_EQ(plan.samplesAfter(2), 4000);
    EXPECT_EQ(plan.batchOf(2), 976);
    EXPECT_LT(plan.epochAfter(1), 1);
    EXPECT_EQ(plan.meanBatch(), 1000);
}

TEST(Plan, AStepLargerThanAnEpochCountsAllItsPasses) {
    // A rank has 4 of 64 samples, a batch 32: 8 passes a step.
    for (const bool dropLast : {false, true}) {
        const PlanFacts facts{.samples = 64, .workers = 16, .batchSize = 32, .epochs = 20, .dropLast = dropLast};
        const Plan plan = planSteps(facts);
        EXPECT_EQ(plan.totalSteps, 3) << "20 epochs are 2.5 steps";
        EXPECT_EQ(plan.stepsPerEpoch, 1);
        EXPECT_EQ(plan.meanEpochSteps(), 1.0 / 8);
        EXPECT_EQ(plan.batchOf(2), 32);
        EXPECT_EQ(plan.samplesAfter(1), 512);
        EXPECT_EQ(plan.epochAfter(1), 8);
    }
}

TEST(Plan, WithoutDataAnEpochIsAStep) {
    const Plan plan = planSteps({.samples = 0, .workers = 3, .batchSize = 32, .epochs = 5});
    EXPECT_EQ(plan.totalSteps, 5);
    EXPECT_EQ(plan.samplesAfter(2), 2 * 3 * 32);
    EXPECT_EQ(plan.epochAfter(2), 2);
    EXPECT_EQ(plan.meanBatch(), 32);
}

TEST(Plan, TheValidationSetHasTheNearestNumberOfSamples) {
    EXPECT_EQ(validationCount(1000, 0), 0);
    EXPECT_EQ(validationCount(0, 0.5), 0);
    EXPECT_EQ(validationCount(1000, 0.1), 100);
    EXPECT_EQ(validationCount(15, 0.25), 4);
    EXPECT_EQ(validationCount(10, 0.001), 1) << "a set that was asked for has a sample";
}

TEST(Plan, TimeOnlyStepsAreAllAlike) {
    const Plan plan =
        planSteps({.samples = 100, .workers = 2, .batchSize = 32, .epochs = 2, .steps = 7, .timeOnly = true});
    EXPECT_EQ(plan.totalSteps, 7);
    for (std::int64_t step = 1; step <= 7; ++step) EXPECT_EQ(plan.batchOf(step), 32);
    EXPECT_EQ(plan.samplesAfter(7), 7 * 64);
}

}  // namespace
}  // namespace dasgd
