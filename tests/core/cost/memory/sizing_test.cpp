#include "core/cost/memory/sizing.h"

#include <gmock/gmock.h>

namespace dasgd {
namespace {

TEST(Sizing, HybridLayerByHand) {
    // 4096 → 1024 on 16 nodes, minibatch 256, 4 groups: 8·4096·256/4 + 8·4096·1024·4/16.
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 0), 2'097'152 + 8'388'608);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 1), 2'097'152 + 4'194'304);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 1, 16, 0), 8.0 * 4096 * 256) << "model parallel: no weights";
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 16, 16, 0), 8.0 * 4096 * 1024) << "data parallel: no activations";
}

TEST(Sizing, EfficiencyIsThatOfAStepOfWhichAPartIsNotDivided) {
    for (const double overhead : {0.0, 0.001, 0.05, 0.7, 3.0}) {
        for (const int workers : {1, 2, 9, 128}) {
            // A step takes 1 + R alone, and 1/G + R on G workers.
            const double speedUp = (1 + overhead) / (1.0 / workers + overhead);
            EXPECT_DOUBLE_EQ(dividedEfficiency(overhead, workers), speedUp / workers);
        }
    }
}

TEST(Sizing, TheMostWorkersOfAnEfficiencyAreThoseOfTryingThemAll) {
    for (const double overhead : {0.0005, 0.01, 0.0909090909090909, 0.3, 2.0}) {
        for (const double efficiency : {0.05, 0.5, 0.8, 0.95, 1.0}) {
            std::int64_t most = 1;
            while (dividedEfficiency(overhead, most + 1) >= efficiency * (1 - 1e-12)) ++most;
            EXPECT_EQ(workersForEfficiency(overhead, efficiency), most) << overhead << ", " << efficiency;
        }
    }
    EXPECT_EQ(workersForEfficiency(1.0 / 11, 0.8), 4) << "exactly";
    EXPECT_FALSE(workersForEfficiency(0, 0.9));
    EXPECT_FALSE(workersForEfficiency(1e-12, 0.9));
}

// The row of experiments/suites/das2016.md: R of Das et al.'s 90 times on 128 nodes, twice that with half of the batch.
TEST(Sizing, PredictsOnePublishedSpeedUpFromAnother) {
    const double efficiency = 90.0 / 128, ratio = (1 - efficiency) / (128 * efficiency - 1);
    EXPECT_DOUBLE_EQ(dividedEfficiency(ratio, 128), efficiency);
    EXPECT_NEAR(64 * dividedEfficiency(2 * ratio, 64), 45.15, 0.01);
}

}  // namespace
}  // namespace dasgd
