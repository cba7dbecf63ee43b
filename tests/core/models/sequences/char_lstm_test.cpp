#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const InputSpec kText{.shape = {6}, .classes = 30, .task = Task::kLanguage};

Value shapeOf(std::int64_t layers, std::int64_t width, std::int64_t embedding) {
    return table({{"layers", integer(layers)}, {"width", integer(width)}, {"embedding", integer(embedding)}});
}

at::Tensor tokens(std::int64_t length, std::int64_t rows = 3) {
    return torch::randint(30, {rows, length}, torch::kInt64);
}

// A gate has a row of weights for the input, one for the state, and two biases, as cuDNN has them; a layer four gates.
TEST(CharLstmTest, HasTheParametersOfItsLayers) {
    const auto lstm = [](std::int64_t in, std::int64_t width) { return 4 * width * (in + width + 2); };
    const InputSpec shakespeare{.shape = {80}, .classes = 90, .task = Task::kLanguage};
    EXPECT_EQ(parameterCount(*buildModel("char_lstm", shakespeare)), 90 * 8 + lstm(8, 256) + lstm(256, 256) + 90 * 257);
}

// McMahan et al. (arXiv 1602.05629, section 3) count 866,578 parameters and say neither how many characters there are
// nor what a gate has. That number comes out of 258 tokens (256 bytes and two marks), one bias a gate, and weights from
// the cell to three of the four gates (peepholes). Here a gate has a second bias, as cuDNN has it, and no peephole.
TEST(CharLstmTest, DiffersFromThePublishedCountByBiasesAndPeepholes) {
    constexpr std::int64_t kPublished = 866'578, kLayers = 2, kWidth = 256;
    constexpr std::int64_t kSecondBiases = kLayers * 4 * kWidth, kPeepholes = kLayers * 3 * kWidth;
    const InputSpec bytes{.shape = {80}, .classes = 258, .task = Task::kLanguage};
    EXPECT_EQ(parameterCount(*buildModel("char_lstm", bytes)), kPublished + kSecondBiases - kPeepholes);
}

TEST(CharLstmTest, CountsTheProductsOfEveryToken) {
    const auto model = buildModel("char_lstm", kText, shapeOf(2, 16, 8));
    const LayerWork work = countFlops(*model, randomBatch(kText, 2), 2);
    const double perToken = 64.0 * (8 + 16) + 64.0 * (16 + 16) + 16.0 * 30;
    EXPECT_DOUBLE_EQ(work.forwardFlops(), 2 * 6 * perToken);
    EXPECT_DOUBLE_EQ(work.flops(), 3 * work.forwardFlops());
    // Work is counted under the weights of the layers: embedding, then input, state and two biases of each, then the
    // last layer.
    EXPECT_EQ(work.forward[0], 0);
    EXPECT_DOUBLE_EQ(work.forward[1], 2.0 * 6 * 64 * 8);
    EXPECT_DOUBLE_EQ(work.forward[2], 2.0 * 6 * 64 * 16);
}

// The state is carried from batch to batch: a text in two batches gives what it gives in one.
TEST(CharLstmTest, GoesOnFromBatchToBatch) {
    const auto model = buildModel("char_lstm", kText, shapeOf(2, 16, 8));
    const at::NoGradGuard noGrad;
    const at::Tensor text = tokens(12);
    for (const bool training : {true, false}) {
        model->module().train(training);
        model->beginPass(training);
        const at::Tensor whole = outputsOf(*model, text);
        model->beginPass(training);
        const at::Tensor first = outputsOf(*model, text.slice(1, 0, 6)), second = outputsOf(*model, text.slice(1, 6));
        EXPECT_TRUE(torch::cat({first, second}, 1).allclose(whole, 1e-4, 1e-5)) << training;
        model->beginPass(training);
        EXPECT_FALSE(outputsOf(*model, text.slice(1, 6)).allclose(second, 1e-4, 1e-5)) << "a new pass knows nothing";
    }
}

TEST(CharLstmTest, EvaluationDoesNotTouchTheStateOfTraining) {
    const auto model = buildModel("char_lstm", kText, shapeOf(1, 16, 8));
    const at::Tensor text = tokens(13);
    const auto batch = [&](std::int64_t begin) {
        return Batch{text.slice(1, begin, begin + 6), text.slice(1, begin + 1, begin + 7)};
    };
    model->beginPass(true);
    (void)model->loss(batch(0));
    const float undisturbed = model->loss(batch(6)).item<float>();
    model->beginPass(true);
    (void)model->loss(batch(0));
    model->beginPass(false);
    (void)model->evaluate(batch(6));
    EXPECT_EQ(model->loss(batch(6)).item<float>(), undisturbed);
}

TEST(CharLstmTest, GradientsEndAtTheBatch) {
    const auto model = buildModel("char_lstm", kText, shapeOf(1, 16, 8));
    (void)model->loss(randomBatch(kText, 3));
    model->loss(randomBatch(kText, 3)).backward();
    // The graph of the second batch is gone: going back into it would throw.
    model->loss(randomBatch(kText, 3)).backward();
    EXPECT_GT(model->module().parameters().front().grad().abs().sum().item<float>(), 0);
}

// A short last batch has no rows to go on in.
TEST(CharLstmTest, StartsAnewWhereTheBatchHasOtherRows) {
    const auto model = buildModel("char_lstm", kText, shapeOf(1, 16, 8));
    model->module().eval();
    const at::NoGradGuard noGrad;
    const at::Tensor two = tokens(6, 2);
    const at::Tensor fresh = outputsOf(*model, two);
    (void)outputsOf(*model, tokens(6, 3));
    EXPECT_TRUE(outputsOf(*model, two).equal(fresh));
}

TEST(CharLstmTest, GradientsMatchFiniteDifferences) {
    const auto model = buildModel("char_lstm", kText, shapeOf(2, 5, 3));
    model->module().to(torch::kFloat64);
    const Batch batch = randomBatch(kText, 2);
    model->loss(batch).backward();
    constexpr double kStep = 1e-6;
    const auto lossAfter = [&](at::Tensor entry, double change) {
        const at::NoGradGuard noGrad;
        entry.add_(change);
        model->beginPass(true);
        const double loss = model->loss(batch).item<double>();
        entry.sub_(change);
        return loss;
    };
    for (const auto& parameter : model->module().named_parameters()) {
        const at::Tensor entry = parameter.value().detach().flatten()[1];
        const double gradient = parameter.value().grad().flatten()[1].item<double>();
        EXPECT_NEAR(gradient, (lossAfter(entry, kStep) - lossAfter(entry, -kStep)) / (2 * kStep), 1e-7)
            << parameter.key();
    }
}

TEST(CharLstmTest, RefusesWhatIsNoText) {
    EXPECT_THAT(refusalOf("char_lstm", {.shape = {1, 28, 28}, .classes = 10}), HasSubstr("the tokens of a text"));
}

const ModelTrial::Add kCharLstmTrial{{.model = "char_lstm",
                                      .input = {.shape = {6}, .classes = 11, .task = Task::kLanguage},
                                      .fields = table({{"width", integer(8)}, {"dropout", number(0.2)}}),
                                      .tolerance = 1e-5}};

}  // namespace
}  // namespace dasgd::test
