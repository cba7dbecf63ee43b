#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// Layers as Keras' summary of VGG16 lists them, total and multiply-adds as torchvision documents `vgg16` (15.47 G).
TEST(Vgg16Test, HasTheLayersOfConfigurationD) {
    const auto model = buildModel("vgg16", kPhotos);
    EXPECT_EQ(parameterCount(*model), 138'357'544);
    EXPECT_THAT(parametersOfChildren(*model),
                ElementsAre(1'792, 36'928, 73'856, 147'584, 295'168, 590'080, 590'080, 1'180'160, 2'359'808, 2'359'808,
                            2'359'808, 2'359'808, 2'359'808, 102'764'544, 16'781'312, 4'097'000));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 15.47, 0.005);
}

TEST(Vgg16Test, TakesImagesThatLeaveAPixelAfterFivePoolings) { expectTakesImagesFrom("vgg16", 32); }

// He initialisation: without norms, the signal keeps its order of magnitude through thirteen convolutions, which
// LibTorch's own would divide by 2.4 each.
TEST(Vgg16Test, KeepsTheSignalThroughItsConvolutions) {
    const InputSpec small{.shape = {3, 32, 32}, .classes = 10};
    const auto model = buildModel("vgg16", small);
    at::Tensor x = randomBatch(small, 1).inputs.slice(2, 0, 16).slice(3, 0, 16);
    const at::NoGradGuard noGrad;
    const auto parameters = model->module().named_parameters();
    for (int i = 1; i <= 13; ++i) {
        const std::string name = "conv" + std::to_string(i);
        x = torch::relu(torch::conv2d(x, parameters[name + ".weight"], parameters[name + ".bias"], 1, 1));
        const double magnitude = x.square().mean().sqrt().item<double>();
        EXPECT_GT(magnitude, 0.01) << name;
        EXPECT_LT(magnitude, 10) << name;
    }
}

const ModelTrial::Add kVgg16Trial{
    {.model = "vgg16", .leftOut = "its layers are all in alexnet, and its size is more than a test may take"}};

}  // namespace
}  // namespace dasgd::test
