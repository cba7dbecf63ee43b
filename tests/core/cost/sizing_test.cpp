#include "core/cost/sizing.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace dasgd {
namespace {

// A layer with 64 → 128 maps, kernel 3, of 56 × 28 pixels.
constexpr ConvLayer kLayer{.inputMaps = 64, .outputMaps = 128, .kernel = 3, .outputWidth = 56, .outputHeight = 28};

TEST(Sizing, ConvolutionByHand) {
    // 64 · 128 · 9 = 73,728 weights, 1,568 pixels, 2 samples.
    EXPECT_DOUBLE_EQ(convFlops(kLayer, 2), 6.0 * 73'728 * 1'568 * 2);
    EXPECT_DOUBLE_EQ(convBytes(kLayer, 0), 8.0 * 73'728);
    EXPECT_DOUBLE_EQ(convBytes(kLayer, 1), 4.0 * 73'728);
    EXPECT_DOUBLE_EQ(convFlopsPerByte(kLayer, 2, 0), 1.5 * 1'568 * 2 / 2);
    EXPECT_DOUBLE_EQ(convFlopsPerByte(kLayer, 2, 1), 1.5 * 1'568 * 2);
}

TEST(Sizing, NeitherKernelNorChannelsMoveTheRatio) {
    ConvLayer wide = kLayer;
    wide.kernel = 11;
    wide.inputMaps = 3;
    wide.outputMaps = 7;
    EXPECT_DOUBLE_EQ(convFlopsPerByte(wide, 4, 0.5), convFlopsPerByte(kLayer, 4, 0.5));
}

TEST(Sizing, MinimumSamplesBalanceComputationAndWire) {
    // 1.176 TFLOP/s on 1 GB/s: 1,176 FLOP a byte, of which a sample brings 1,176 with sending all hidden.
    EXPECT_DOUBLE_EQ(minimumSamplesPerNode(1.176e12, 1e9, kLayer, 0), 1);
    EXPECT_DOUBLE_EQ(minimumSamplesPerNode(1.176e12, 1e9, kLayer, 1), 0.5);
    const double samples = minimumSamplesPerNode(1.7e12, 1.25e9, kLayer, 0.3);
    EXPECT_DOUBLE_EQ(convFlops(kLayer, samples) / 1.7e12, convBytes(kLayer, 0.3) / 1.25e9);
}

TEST(Sizing, HybridLayerByHand) {
    // 4096 → 1024 on 16 nodes, minibatch 256, 4 groups: 8·4096·256/4 + 8·4096·1024·4/16.
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 0), 2'097'152 + 8'388'608);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 1), 2'097'152 + 4'194'304);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 1, 16, 0), 8.0 * 4096 * 256) << "model parallel: no weights";
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 16, 16, 0), 8.0 * 4096 * 1024) << "data parallel: no activations";
}

TEST(Sizing, BestGroupsAreWhereTheBytesAreLeast) {
    EXPECT_DOUBLE_EQ(bestGroups(1024, 256, 16, 0), 2) << "√(16 · 256 / 1024)";
    for (const double overlap : {0.0, 0.5, 1.0}) {
        const double best = bestGroups(1024, 1024, 64, overlap);
        const double least = hybridBytes(4096, 1024, 1024, best, 64, overlap);
        EXPECT_LT(least, hybridBytes(4096, 1024, 1024, best * 1.01, 64, overlap));
        EXPECT_LT(least, hybridBytes(4096, 1024, 1024, best / 1.01, 64, overlap));
    }
    EXPECT_EQ(bestGroups(1 << 20, 1, 4, 0), 1) << "no fewer groups than one";
    EXPECT_EQ(bestGroups(1, 1024, 4, 0), 4) << "no more groups than nodes";
}

TEST(Sizing, ALayerHasUntilItIsUsedAgain) {
    const std::array forward{1.0, 2.0, 4.0};
    const std::array backward{10.0, 20.0, 40.0};
    EXPECT_EQ(secondsUntilNextUse(forward, backward, 0), 0) << "the first layer's gradient comes last, is used first";
    EXPECT_DOUBLE_EQ(secondsUntilNextUse(forward, backward, 1), 11);
    EXPECT_DOUBLE_EQ(secondsUntilNextUse(forward, backward, 2), 33);
}

TEST(Sizing, OverheadAndServers) {
    EXPECT_EQ(serialOverheadEfficiency(0.1, 1), 1);
    EXPECT_DOUBLE_EQ(serialOverheadEfficiency(0.1, 10), 0.55);
    EXPECT_EQ(serialOverheadEfficiency(0, 1000), 1);
    // 100 MB each way for 8 workers is 1.6 GB a step; servers of 1.25 GB/s, steps of 0.5 s: 2.56.
    EXPECT_EQ(parameterServersNeeded(100e6, 8, 1.25e9, 0.5), 3);
    EXPECT_EQ(parameterServersNeeded(100e6, 8, 1.6e9, 0.5), 2) << "just enough";
    EXPECT_EQ(parameterServersNeeded(1, 1, 1e9, 1), 1);
}

}  // namespace
}  // namespace dasgd
