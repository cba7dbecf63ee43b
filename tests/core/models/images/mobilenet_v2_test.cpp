#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

// Table 4 of arXiv 1801.04381: 3.4 M parameters, 300 M multiply-adds; torchvision documents 3,504,872 and 0.301 G.
TEST(MobileNetV2Test, HasTheBlocksOfThePaper) {
    const auto model = buildModel("mobilenet_v2", kPhotos);
    EXPECT_EQ(parameterCount(*model), 3'504'872);
    // A block of expansion t: 1x1 to t·in, 3x3 a channel, 1x1 to out, and two numbers a norm and channel.
    const auto block = [](std::int64_t in, std::int64_t out, std::int64_t t) {
        const std::int64_t hidden = in * t;
        const std::int64_t expand = t > 1 ? in * hidden + 2 * hidden : 0;
        return expand + 9 * hidden + 2 * hidden + hidden * out + 2 * out;
    };
    const auto counts = parametersOfChildren(*model);
    ASSERT_EQ(counts.size(), 1U + 17 + 2);
    EXPECT_EQ(counts[1], block(32, 16, 1));
    EXPECT_EQ(counts[2], block(16, 24, 6));
    EXPECT_EQ(counts[14], block(96, 160, 6));
    EXPECT_EQ(counts[17], block(160, 320, 6));
    EXPECT_EQ(counts[19], 1'281'000);
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 0.301, 0.0005);
}

// timm documents its `mobilenetv2_140` with 6.11 M, and `mobilenetv2_050` with 1.97 M.
TEST(MobileNetV2Test, MultipliesItsChannels) {
    const auto millions = [](double multiplier) {
        const auto model = buildModel("mobilenet_v2", kPhotos, table({{"width_multiplier", number(multiplier)}}));
        return static_cast<double>(parameterCount(*model)) / 1e6;
    };
    EXPECT_NEAR(millions(1.4), 6.11, 0.005);
    EXPECT_NEAR(millions(0.5), 1.97, 0.005);
}

TEST(MobileNetV2Test, TakesImagesThatLeaveFourPixels) { expectTakesImagesFrom("mobilenet_v2", 33); }

const ModelTrial::Add kMobileNetTrial{{.model = "mobilenet_v2",
                                       .input = {.shape = {3, 33, 33}, .classes = 5},
                                       .fields = table({{"width_multiplier", number(0.25)}})}};

}  // namespace
}  // namespace dasgd::test
