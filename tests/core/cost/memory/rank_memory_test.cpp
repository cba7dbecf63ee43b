#include "core/cost/memory/rank_memory.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

// The rows of table 1 of arXiv 1910.02054, with K = 12.
TEST(RankMemory, OfMixedAdamIsWhatZeroCounts) {
    const double parameters = 7.5e9;
    for (const int ranks : {1, 4, 64, 1024}) {
        const double part = parameters / ranks;
        EXPECT_DOUBLE_EQ(dividedState(kMixedAdam, Division::Nothing, parameters, ranks).sum(), 16 * parameters);
        EXPECT_DOUBLE_EQ(dividedState(kMixedAdam, Division::Optimizer, parameters, ranks).sum(),
                         4 * parameters + 12 * part);
        EXPECT_DOUBLE_EQ(dividedState(kMixedAdam, Division::OptimizerAndGradients, parameters, ranks).sum(),
                         2 * parameters + 14 * part);
        EXPECT_DOUBLE_EQ(dividedState(kMixedAdam, Division::Everything, parameters, ranks).sum(), 16 * part);
    }
    EXPECT_NEAR(dividedState(kMixedAdam, Division::Nothing, parameters, 64).sum(), 120e9, 1)
        << "120 GB in their figure 1";
    EXPECT_NEAR(dividedState(kMixedAdam, Division::Optimizer, parameters, 64).sum(), 31.4e9, 0.05e9);
    EXPECT_NEAR(dividedState(kMixedAdam, Division::OptimizerAndGradients, parameters, 64).sum(), 16.6e9, 0.05e9);
    EXPECT_NEAR(dividedState(kMixedAdam, Division::Everything, parameters, 64).sum(), 1.9e9, 0.05e9);
}

TEST(RankMemory, OfThisEngineIsInOneType) {
    const StateBytes adam = stateOfOneType(4, 2), momentum = stateOfOneType(4, 1), plain = stateOfOneType(8, 0);
    EXPECT_DOUBLE_EQ(dividedState(adam, Division::Nothing, 100, 4).sum(), 1600);
    EXPECT_DOUBLE_EQ(dividedState(momentum, Division::Nothing, 100, 4).sum(), 1200);
    EXPECT_DOUBLE_EQ(dividedState(plain, Division::Nothing, 100, 4).sum(), 1600);
    // 8 + 16/P bytes a parameter, as core/algorithms/shards/README.md has it.
    EXPECT_DOUBLE_EQ(dividedUpdate(adam, 100, 4).sum(), 100 * (8 + 16.0 / 4));
}

TEST(RankMemory, OfAMergeHasItsCopies) {
    const StateBytes adam = stateOfOneType(4, 2);
    const auto copies = [&](bool isDelayed, bool isLocal, bool isCorrected, bool averagesState) {
        return delayedMerge(adam, 100, isDelayed, isLocal, isCorrected, averagesState).copies;
    };
    EXPECT_EQ(copies(false, false, false, false), 0) << "the weights themselves travel";
    EXPECT_EQ(copies(true, false, false, false), 400);
    EXPECT_EQ(copies(false, true, false, false), 400);
    EXPECT_EQ(copies(true, false, true, false), 800);
    EXPECT_EQ(copies(true, false, true, true), 1600);
}

}  // namespace
}  // namespace dasgd
