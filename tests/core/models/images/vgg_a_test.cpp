#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// Layers as Keras' summaries of VGG list them, total and multiply-adds as torchvision documents `vgg11` (7.609 G).
TEST(VggATest, HasTheLayersOfConfigurationA) {
    const auto model = buildModel("vgg_a", kPhotos);
    EXPECT_EQ(parameterCount(*model), 132'863'336);
    EXPECT_THAT(parametersOfChildren(*model), ElementsAre(1'792, 73'856, 295'168, 590'080, 1'180'160, 2'359'808,
                                                          2'359'808, 2'359'808, 102'764'544, 16'781'312, 4'097'000));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 7.609, 0.0005);
}

// The rows of experiments/suites/das2016.toml.
TEST(VggATest, IsTheLayerTableOfDas2016ButForBiases) {
    const auto model = buildModel("vgg_a", kPhotos);
    const auto rows =
        createModel("layer_table", table({{"conv", matrix({{3, 64, 3, 224, 224},
                                                           {64, 128, 3, 112, 112},
                                                           {128, 256, 3, 56, 56},
                                                           {256, 256, 3, 56, 56},
                                                           {256, 512, 3, 28, 28},
                                                           {512, 512, 3, 28, 28},
                                                           {512, 512, 3, 14, 14},
                                                           {512, 512, 3, 14, 14}})},
                                          {"dense", matrix({{25088, 4096}, {4096, 4096}, {4096, 1000}})}}));
    ASSERT_TRUE(rows->build({.timeOnly = true}));
    const LayerWork counted = countFlops(*model, randomBatch(kPhotos, 1), 1), listed = countFlops(*rows, {}, 1);
    EXPECT_EQ(counted.forwardFlops(), listed.forwardFlops());
    EXPECT_EQ(counted.flops(), listed.flops());
}

TEST(VggATest, TakesImagesThatLeaveAPixelAfterFivePoolings) { expectTakesImagesFrom("vgg_a", 32); }

const ModelTrial::Add kVggATrial{
    {.model = "vgg_a", .leftOut = "its layers are all in alexnet, and its size is more than a test may take"}};

}  // namespace
}  // namespace dasgd::test
