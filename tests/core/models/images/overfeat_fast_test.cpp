#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

const InputSpec kLargerPhotos{.shape = {3, 231, 231}, .classes = 1000};

// Table 1 and section 3 of arXiv 1312.6229: 145 million parameters, 2810 million connections (without biases and before
// rounding 2801).
TEST(OverFeatFastTest, HasTheLayersOfTheFastModel) {
    const auto model = buildModel("overfeat_fast", kLargerPhotos);
    EXPECT_THAT(parametersOfChildren(*model),
                ElementsAre(96 * (3 * 121 + 1), 256 * (96 * 25 + 1), 512 * (256 * 9 + 1), 1024 * (512 * 9 + 1),
                            1024 * (1024 * 9 + 1), 3072 * (1024 * 36 + 1), 4096 * (3072 + 1), 1000 * (4096 + 1)));
    EXPECT_NEAR(static_cast<double>(parameterCount(*model)), 145e6, 1e6);
    EXPECT_NEAR(gigaMultiplyAdds(*model, kLargerPhotos), 2.810, 0.01);
}

// The rows of experiments/suites/das2016.toml.
TEST(OverFeatFastTest, IsTheLayerTableOfDas2016ButForBiases) {
    const auto model = buildModel("overfeat_fast", kLargerPhotos);
    const auto rows =
        createModel("layer_table", table({{"conv", matrix({{3, 96, 11, 56, 56},
                                                           {96, 256, 5, 24, 24},
                                                           {256, 512, 3, 12, 12},
                                                           {512, 1024, 3, 12, 12},
                                                           {1024, 1024, 3, 12, 12}})},
                                          {"dense", matrix({{36864, 3072}, {3072, 4096}, {4096, 1000}})}}));
    ASSERT_TRUE(rows->build({.timeOnly = true}));
    const LayerWork counted = countFlops(*model, randomBatch(kLargerPhotos, 1), 1), listed = countFlops(*rows, {}, 1);
    EXPECT_EQ(counted.forwardFlops(), listed.forwardFlops());
    EXPECT_EQ(counted.flops(), listed.flops());
}

TEST(OverFeatFastTest, TakesImagesThatLeaveAPixelAfterThePoolings) { expectTakesImagesFrom("overfeat_fast", 71); }

const ModelTrial::Add kOverFeatTrial{
    {.model = "overfeat_fast", .leftOut = "its layers are all in alexnet, and its size is more than a test may take"}};

}  // namespace
}  // namespace dasgd::test
