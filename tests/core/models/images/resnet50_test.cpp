#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// Stages as torchvision's `resnet50` has them (layer1 to layer4), 4.089 G multiply-adds.
TEST(ResNet50Test, HasTheStagesOfTorchvisionsVariant) {
    const auto model = buildModel("resnet50", kPhotos);
    EXPECT_EQ(parameterCount(*model), 25'557'032);
    EXPECT_THAT(groupSums(parametersOfChildren(*model), {1, 3, 4, 6, 3, 1}),
                ElementsAre(9'408 + 128, 215'808, 1'219'584, 7'098'368, 14'964'736, 2'049'000));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 4.089, 0.0005);
}

TEST(ResNet50Test, CountsTheBackwardPassAsTwoForwardButForTheStem) {
    const auto model = buildModel("resnet50", kPhotos, table({{"width", integer(8)}}));
    const LayerWork work = countFlops(*model, randomBatch(kPhotos, 1), 1);
    const double stem = 2.0 * 3 * 8 * 49 * 112 * 112;
    EXPECT_DOUBLE_EQ(work.flops(), 3 * work.forwardFlops() - stem);
}

TEST(ResNet50Test, TakesImagesThatLeaveFourPixels) {
    expectTakesImagesFrom("resnet50", 33, table({{"width", integer(8)}}));
}

const ModelTrial::Add kResNet50Trial{
    {.model = "resnet50", .input = {.shape = {3, 33, 33}, .classes = 5}, .fields = table({{"width", integer(4)}})}};

}  // namespace
}  // namespace dasgd::test
