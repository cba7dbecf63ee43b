#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// Blocks and transitions as torchvision's `densenet121` has them, 2.834 G multiply-adds.
TEST(DenseNet121Test, HasTheBlocksOfThePaper) {
    const auto model = buildModel("densenet121", kPhotos);
    EXPECT_EQ(parameterCount(*model), 7'978'856);
    EXPECT_THAT(
        groupSums(parametersOfChildren(*model), {1, 12, 1, 24, 1, 48, 1, 32, 1, 1}),
        ElementsAre(9'408 + 128, 335'040, 33'280, 919'680, 132'096, 2'837'760, 526'336, 2'158'080, 2'048, 1'025'000));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 2.834, 0.0005);
}

TEST(DenseNet121Test, TakesImagesThatLeaveFourPixels) {
    expectTakesImagesFrom("densenet121", 61, table({{"growth", integer(4)}}));
}

const ModelTrial::Add kDenseNetTrial{{.model = "densenet121", .input = {.shape = {3, 61, 61}, .classes = 5}}};

}  // namespace
}  // namespace dasgd::test
