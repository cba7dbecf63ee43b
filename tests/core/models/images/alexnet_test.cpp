#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// Parameters and multiply-adds as torchvision documents its `alexnet` (0.714 G); the layers follow from their shapes.
TEST(AlexNetTest, HasTheLayersOfTheSingleColumn) {
    const auto model = buildModel("alexnet", kPhotos);
    EXPECT_EQ(parameterCount(*model), 61'100'840);
    EXPECT_THAT(parametersOfChildren(*model),
                ElementsAre(64 * (3 * 121 + 1), 192 * (64 * 25 + 1), 384 * (192 * 9 + 1), 256 * (384 * 9 + 1),
                            256 * (256 * 9 + 1), 37'752'832, 16'781'312, 4'097'000));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 0.714, 0.0005);
}

TEST(AlexNetTest, TakesImagesThatLeaveAPixelAfterThePoolings) { expectTakesImagesFrom("alexnet", 63); }

TEST(AlexNetTest, DropsUnitsInTrainingAlone) {
    const InputSpec small{.shape = {3, 63, 63}, .classes = 5};
    const auto model = buildModel("alexnet", small);
    const Batch batch = randomBatch(small, 2);
    EXPECT_NE(model->loss(batch).item<float>(), model->loss(batch).item<float>());
    EXPECT_EQ(model->evaluate(batch).lossSum, model->evaluate(batch).lossSum);
    const auto kept = buildModel("alexnet", small, table({{"dropout", number(0)}}));
    EXPECT_EQ(kept->loss(batch).item<float>(), kept->loss(batch).item<float>());
}

const ModelTrial::Add kAlexNetTrial{{.model = "alexnet", .input = {.shape = {3, 63, 63}, .classes = 5}}};

}  // namespace
}  // namespace dasgd::test
