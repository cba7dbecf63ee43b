#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

const InputSpec kFrames{.shape = {429}, .classes = 9304};

// Seide, Li and Yu (Interspeech 2011): 429 inputs, 7 hidden layers of 2,048, 9,304 states.
TEST(CdDnnTest, HasTheLayersOfTheSpeechNetwork) {
    const auto model = buildModel("cd_dnn", kFrames);
    constexpr std::int64_t kHidden = 2048 * 2049;
    EXPECT_THAT(parametersOfChildren(*model),
                ElementsAre(2048 * 430, kHidden, kHidden, kHidden, kHidden, kHidden, kHidden, 9304 * 2049));
    // The table of experiments/suites/das2016.toml, which has no biases.
    EXPECT_DOUBLE_EQ(gigaMultiplyAdds(*model, kFrames), 0.045099008);
}

TEST(CdDnnTest, FieldsAreTheShape) {
    const auto fields = table({{"layers", integer(2)}, {"width", integer(8)}, {"activation", text("relu")}});
    const auto model = buildModel("cd_dnn", {.shape = {11, 39}, .classes = 3}, fields);
    EXPECT_EQ(parameterCount(*model), 8 * 430 + 8 * 9 + 3 * 9);
}

// Glorot's initialisation: seven sigmoids do not make the gradient of the first layer vanish.
TEST(CdDnnTest, GradientReachesTheFirstLayer) {
    const InputSpec few{.shape = {40}, .classes = 10};
    const auto model = buildModel("cd_dnn", few, table({{"width", integer(64)}}));
    model->loss(randomBatch(few, 32)).backward();
    const auto parameters = model->module().named_parameters();
    const double first = parameters["fc1.weight"].grad().norm().item<double>();
    const double last = parameters["fc8.weight"].grad().norm().item<double>();
    EXPECT_GT(first, 1e-4 * last);
}

TEST(CdDnnTest, GradientsMatchFiniteDifferences) {
    const InputSpec few{.shape = {5}, .classes = 4};
    const auto model = buildModel("cd_dnn", few, table({{"width", integer(6)}}));
    model->module().to(torch::kFloat64);
    expectGradientsMatchDifferences(*model, randomBatch(few, 6, torch::kFloat64));
}

const ModelTrial::Add kCdDnnTrial{
    {.model = "cd_dnn", .leftOut = "its layers are all in mlp, and its size is more than a test may take"}};

}  // namespace
}  // namespace dasgd::test
