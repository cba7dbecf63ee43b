#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

const InputSpec kSmallWideInput{.shape = {3, 32, 32}, .classes = 10};

// Table 4 of arXiv 1605.07146: 36.5 M parameters; 5.2 G multiply-adds in the papers that compare with it.
TEST(WideResNetTest, HasTheStagesOf28Times10) {
    const auto model = buildModel("wide_resnet_28_10", kSmallWideInput);
    EXPECT_EQ(parameterCount(*model), 36'479'194);
    const auto stage = [](std::int64_t in, std::int64_t out) {
        const std::int64_t first = 9 * in * out + 9 * out * out + in * out + 2 * (in + out);
        return first + 3 * (18 * out * out + 4 * out);
    };
    EXPECT_THAT(groupSums(parametersOfChildren(*model), {1, 4, 4, 4, 1, 1}),
                ElementsAre(9 * 3 * 16, stage(16, 160), stage(160, 320), stage(320, 640), 1'280, 6'410));
    EXPECT_NEAR(gigaMultiplyAdds(*model, kSmallWideInput), 5.243, 0.0005);
}

// Table 2 of the paper: 40-1 has 0.6 M, 40-2 2.2 M, 16-8 11.0 M.
TEST(WideResNetTest, DepthAndWidthAreThePapers) {
    const auto millions = [](std::int64_t depth, std::int64_t widen) {
        const auto fields = table({{"depth", integer(depth)}, {"widen", integer(widen)}});
        return static_cast<double>(parameterCount(*buildModel("wide_resnet_28_10", kSmallWideInput, fields))) / 1e6;
    };
    EXPECT_NEAR(millions(40, 1), 0.6, 0.05);
    EXPECT_NEAR(millions(40, 2), 2.2, 0.05);
    EXPECT_NEAR(millions(16, 8), 11.0, 0.05);
}

TEST(WideResNetTest, TakesImagesThatLeaveFourPixels) {
    expectTakesImagesFrom("wide_resnet_28_10", 5, table({{"widen", integer(1)}}));
}

TEST(WideResNetTest, RefusesADepthThatIsNoNumberOfBlocks) {
    const auto made = ModelRegistry::find("wide_resnet_28_10")->create(table({{"depth", integer(20)}}), {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("6n + 4"), std::string::npos) << made.error().message;
}

const ModelTrial::Add kWideResNetTrial{{.model = "wide_resnet_28_10",
                                        .input = {.shape = {3, 8, 8}, .classes = 5},
                                        .fields = table({{"widen", integer(1)}, {"dropout", number(0.3)}})}};

}  // namespace
}  // namespace dasgd::test
