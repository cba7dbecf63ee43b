#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/model_work.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const InputSpec kTokens{.shape = {16}, .classes = 40, .task = Task::kLanguage};

Value shapeOf(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t context) {
    return table({{"layers", integer(layers)},
                  {"width", integer(width)},
                  {"heads", integer(heads)},
                  {"context", integer(context)}});
}

// The model card of GPT-2 (small): 124,439,808 parameters, the output matrix tied to the embedding.
TEST(GptTest, HasTheParametersOfGpt2) {
    const InputSpec webText{.shape = {1024}, .classes = 50'257, .task = Task::kLanguage};
    EXPECT_EQ(parameterCount(*buildModel("gpt", webText, shapeOf(12, 768, 12, 1024))), 124'439'808);
}

// Appendix F of Hoffmann et al. (arXiv 2203.15556), in multiply-adds a token of T: 12·w² in each block's matrices,
// 2·T·w in its attention, V·w in the output.
TEST(GptTest, ComputesWhatIsPublishedForTransformers) {
    const auto model = buildModel("gpt", kTokens, shapeOf(3, 32, 4, 16));
    const double perToken = 12.0 * 3 * 32 * 32 + 2.0 * 3 * 16 * 32 + 40.0 * 32;
    const LayerWork work = countFlops(*model, randomBatch(kTokens, 2), 2);
    EXPECT_DOUBLE_EQ(work.forwardFlops(), 2 * 16 * perToken);
    EXPECT_DOUBLE_EQ(work.flops(), 3 * work.forwardFlops()) << "no layer multiplies the data";
}

TEST(GptTest, SeesNothingOfWhatComesLater) {
    const auto model = buildModel("gpt", kTokens, shapeOf(2, 32, 4, 16));
    model->module().eval();
    const at::NoGradGuard noGrad;
    at::Tensor tokens = randomBatch(kTokens, 3).inputs;
    const at::Tensor before = outputsOf(*model, tokens);
    ASSERT_EQ(before.sizes(), at::IntArrayRef({3, 16, 40}));
    tokens.select(1, 9).add_(1).remainder_(40);
    const at::Tensor after = outputsOf(*model, tokens);
    EXPECT_TRUE(after.slice(1, 0, 9).allclose(before.slice(1, 0, 9), 1e-5, 1e-6));
    for (const std::int64_t place : {9, 15}) {
        EXPECT_FALSE(after.select(1, place).allclose(before.select(1, place), 1e-5, 1e-6)) << place;
    }
}

// Attention of one head by plain products: softmax of the scaled scores, those of later tokens left out.
TEST(GptTest, AttentionIsTheFormula) {
    const auto model = buildModel("gpt", kTokens, shapeOf(1, 8, 1, 16));
    model->module().to(torch::kFloat64);
    model->module().eval();
    const at::NoGradGuard noGrad;
    const auto p = model->module().named_parameters();
    const auto linear = [&](const at::Tensor& x, const std::string& name) {
        return torch::linear(x, p["block1." + name + ".weight"], p["block1." + name + ".bias"]);
    };
    const auto norm = [&](const at::Tensor& x, const std::string& name) {
        return torch::layer_norm(x, {8}, p[name + ".weight"], p[name + ".bias"]);
    };
    const at::Tensor tokens = randomBatch(kTokens, 2).inputs;
    at::Tensor x = p["tokens.weight"].index_select(0, tokens.flatten()).view({2, 16, 8}) + p["positions.weight"];
    const auto parts = linear(norm(x, "block1.norm1"), "attend").split(8, 2);
    const at::Tensor later = torch::ones({16, 16}, torch::kBool).triu(1);
    const at::Tensor scores = parts[0].matmul(parts[1].transpose(1, 2)) / std::sqrt(8.0);
    const at::Tensor shares = torch::softmax(scores.masked_fill(later, -INFINITY), 2);
    x = x + linear(shares.matmul(parts[2]), "project1");
    const at::Tensor hidden = linear(norm(x, "block1.norm2"), "expand");
    x = x + linear(torch::gelu(hidden, "tanh"), "project2");
    const at::Tensor expected = torch::linear(norm(x, "norm"), p["tokens.weight"]);
    EXPECT_TRUE(outputsOf(*model, tokens).allclose(expected, 1e-9, 1e-12));
}

TEST(GptTest, BeginsAtAUniformGuess) {
    const auto model = buildModel("gpt", kTokens);
    EXPECT_NEAR(model->loss(randomBatch(kTokens, 4)).item<double>(), std::log(40.0), 0.3);
}

TEST(GptTest, GradientsMatchFiniteDifferences) {
    const auto model = buildModel("gpt", kTokens, shapeOf(2, 8, 2, 16));
    model->module().to(torch::kFloat64);
    expectGradientsMatchDifferences(*model, randomBatch(kTokens, 2));
}

TEST(GptTest, RefusesWhatItCannotAttendTo) {
    EXPECT_THAT(refusalOf("gpt", {.shape = {65}, .classes = 40, .task = Task::kLanguage}), HasSubstr("context = 65"));
    EXPECT_THAT(refusalOf("gpt", {.shape = {1, 28, 28}, .classes = 10}), HasSubstr("the tokens of a text"));
    const auto made = ModelRegistry::find("gpt")->create(shapeOf(2, 30, 4, 16), {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("must divide width (30)"));
}

const ModelTrial::Add kGptTrial{{.model = "gpt",
                                 .input = {.shape = {6}, .classes = 11, .task = Task::kLanguage},
                                 .fields = table({{"layers", integer(2)}, {"dropout", number(0.2)}}),
                                 .tolerance = 1e-5}};

}  // namespace
}  // namespace dasgd::test
