#include <gmock/gmock.h>

#include "core/models/residual.h"
#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

const InputSpec kSmallResNetInput{.shape = {3, 32, 32}, .classes = 10};

// Table 6 of arXiv 1512.03385: 0.27, 0.46, 0.66, 0.85 and 1.7 million parameters.
TEST(ResNet20Test, HasThePublishedSizes) {
    const std::vector<std::pair<std::int64_t, double>> published{
        {20, 0.27}, {32, 0.46}, {44, 0.66}, {56, 0.85}, {110, 1.7}};
    for (const auto& [depth, millions] : published) {
        const auto model = buildModel("resnet20", kSmallResNetInput, table({{"depth", integer(depth)}}));
        EXPECT_NEAR(static_cast<double>(parameterCount(*model)) / 1e6, millions, 0.035) << depth;
    }
}

// Convolutions without biases, two numbers a norm and channel, nothing in the shortcuts.
TEST(ResNet20Test, HasTheLayersOfTheThreeStages) {
    const auto model = buildModel("resnet20", kSmallResNetInput);
    const std::int64_t first = 2 * 9 * 16 * 16 + 4 * 16, second = 2 * 9 * 32 * 32 + 4 * 32;
    const std::int64_t third = 2 * 9 * 64 * 64 + 4 * 64;
    EXPECT_THAT(parametersOfChildren(*model), ElementsAre(9 * 3 * 16 + 32, first, first, first, second - 9 * 16 * 32,
                                                          second, second, third - 9 * 32 * 64, third, third, 650));
    EXPECT_EQ(parameterCount(*model), 269'722);
    // 40.55 M: 441 K of the stem, 3 stages of equal work but for the halved first convolutions.
    EXPECT_DOUBLE_EQ(gigaMultiplyAdds(*model, kSmallResNetInput), 0.040551040);
}

// Option A: with the convolutions of a block at zero, what is left is every second pixel between channels of zeros.
TEST(ResNet20Test, PadsTheShortcutWithoutParameters) {
    BasicBlock block(2, 4, 2, Shortcut::kPadding);
    block.eval();
    const at::NoGradGuard noGrad;
    for (at::Tensor& parameter : block.parameters()) parameter.zero_();
    const at::Tensor x = torch::rand({1, 2, 5, 5});
    const at::Tensor y = block.forward(x);
    ASSERT_EQ(y.sizes(), at::IntArrayRef({1, 4, 3, 3}));
    EXPECT_TRUE(y[0][0].eq(0).all().item<bool>());
    EXPECT_TRUE(y[0][3].eq(0).all().item<bool>());
    for (int channel : {0, 1}) {
        EXPECT_EQ(y[0][channel + 1][1][2].item<float>(), x[0][channel][2][4].item<float>());
    }
}

TEST(ResNet20Test, GradientsMatchFiniteDifferences) {
    const InputSpec small{.shape = {3, 8, 8}, .classes = 4};
    const auto model = buildModel("resnet20", small, table({{"depth", integer(8)}, {"width", integer(2)}}));
    model->module().to(torch::kFloat64);
    expectGradientsMatchDifferences(*model, randomBatch(small, 3, torch::kFloat64));
}

TEST(ResNet20Test, TakesImagesThatLeaveFourPixels) { expectTakesImagesFrom("resnet20", 5); }

TEST(ResNet20Test, RefusesADepthThatIsNoNumberOfBlocks) {
    const auto made = ModelRegistry::find("resnet20")->create(table({{"depth", integer(21)}}), {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("6n + 2"), std::string::npos) << made.error().message;
}

const ModelTrial::Add kResNet20Trial{{.model = "resnet20", .input = {.shape = {3, 8, 8}, .classes = 5}}};

}  // namespace
}  // namespace dasgd::test
