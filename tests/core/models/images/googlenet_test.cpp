#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

// torchvision's `googlenet` without auxiliary classifiers: parameters, and 1.498 G multiply-adds.
TEST(GoogLeNetTest, HasTheModulesOfTorchvisionsVariant) {
    const auto model = buildModel("googlenet", kPhotos);
    EXPECT_EQ(parameterCount(*model), 6'624'904);
    // Module 3a by the paper's table 1 (159 K with weights of 5x5), with 3x3 in place of 5x5 and two numbers a norm.
    const std::int64_t conv3a = 192 * 64 + 192 * 96 + 9 * 96 * 128 + 192 * 16 + 9 * 16 * 32 + 192 * 32;
    const std::int64_t norm3a = 2 * (64 + 96 + 128 + 16 + 32 + 32);
    const auto counts = parametersOfChildren(*model);
    ASSERT_EQ(counts.size(), 3U + 9 + 1);
    EXPECT_EQ(counts[3], conv3a + norm3a);
    EXPECT_EQ((conv3a + 16 * 16 * 32) / 1024, 159);
    EXPECT_EQ(counts.back(), 1'025'000);
    EXPECT_NEAR(gigaMultiplyAdds(*model, kPhotos), 1.498, 0.0005);
}

TEST(GoogLeNetTest, TakesImagesThatLeaveFourPixels) { expectTakesImagesFrom("googlenet", 47); }

const ModelTrial::Add kGoogLeNetTrial{{.model = "googlenet", .input = {.shape = {3, 47, 47}, .classes = 5}}};

}  // namespace
}  // namespace dasgd::test
