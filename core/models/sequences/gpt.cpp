// A decoder of transformer blocks with the norms before attention and perceptron (Radford et al., Language Models are
// Unsupervised Multitask Learners, 2019): learnt positions, causal attention, GELU, and one matrix for embedding and
// output. 124,439,808 parameters at 12 layers, width 768, context 1,024 and 50,257 tokens, which is GPT-2 small.
// Dropout acts on the embeddings and on what each residual branch adds, not on the attention weights.
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <optional>

#include "core/models/classifier.h"
#include "core/models/dropout.h"

namespace dasgd {
namespace {

struct GptParams {
    std::int64_t layers = 4;
    std::int64_t width = 128;
    std::int64_t heads = 4;
    std::int64_t context = 64;
    double dropout = 0;
    bool tied = true;
    void visit(auto&& f) {
        f(layers, "layers", {.min = 1, .max = 1000, .help = "Transformer blocks"});
        f(width, "width", {.min = 1, .max = 65536, .help = "Dimensions of a token's embedding"});
        f(heads, "heads", {.min = 1, .max = 1024, .help = "Attention heads of a block; they divide the width"});
        f(context, "context", {.min = 1, .max = 65536, .unit = "tokens", .help = "Longest text attended to"});
        f(dropout, "dropout", dropoutField("Share of values dropped in training in each branch"));
        f(tied, "tied", {.help = "One matrix for embedding and output; false: one each, as stages need it"});
    }
    std::optional<FieldError> check() const {
        if (width % heads == 0) return std::nullopt;
        return FieldError{
            "heads", "heads is " + std::to_string(heads) + "; it must divide width (" + std::to_string(width) + ")"};
    }
};

class GptBlock final : public torch::nn::Module {
public:
    GptBlock(const GptParams& params, std::shared_ptr<Dropout> dropout)
        : heads_(params.heads),
          norm1_(register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({params.width})))),
          attend_(register_module("attend", torch::nn::Linear(params.width, 3 * params.width))),
          project1_(register_module("project1", torch::nn::Linear(params.width, params.width))),
          norm2_(register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({params.width})))),
          expand_(register_module("expand", torch::nn::Linear(params.width, 4 * params.width))),
          project2_(register_module("project2", torch::nn::Linear(4 * params.width, params.width))),
          dropout_(std::move(dropout)) {
        // Each branch adds to the residual stream: what 2·layers of them add keeps its deviation.
        const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(params.layers));
        for (auto* layer : {&attend_, &project1_, &expand_, &project2_}) {
            const bool projects = layer == &project1_ || layer == &project2_;
            torch::nn::init::normal_((*layer)->weight, 0, projects ? deviation : 0.02);
            torch::nn::init::zeros_((*layer)->bias);
        }
    }

    at::Tensor forward(at::Tensor x) {
        x = x + dropout_->forward(project1_(attention(norm1_(x))));
        const at::Tensor hidden = at::gelu(expand_(norm2_(x)), "tanh");
        return x + dropout_->forward(project2_(hidden));
    }

private:
    at::Tensor attention(const at::Tensor& x) {
        const std::int64_t batch = x.size(0), length = x.size(1), width = x.size(2);
        // [3, batch, heads, length, width / heads]
        const at::Tensor all = attend_(x).view({batch, length, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4});
        const at::Tensor mixed = at::scaled_dot_product_attention(all[0], all[1], all[2], {}, 0.0, true);
        return mixed.transpose(1, 2).reshape({batch, length, width});
    }

    std::int64_t heads_;
    torch::nn::LayerNorm norm1_;
    torch::nn::Linear attend_, project1_;
    torch::nn::LayerNorm norm2_;
    torch::nn::Linear expand_, project2_;
    std::shared_ptr<Dropout> dropout_;
};

class GptNetwork final : public LayeredNetwork {
public:
    GptNetwork(const BuildContext& context, const GptParams& params) : tied_(params.tied) {
        const auto embedding = [&](const char* name, std::int64_t rows) {
            return register_module(name, torch::nn::Embedding(rows, params.width));
        };
        const auto tokens = embedding("tokens", context.input.classes);
        const auto positions = embedding("positions", params.context);
        for (const auto& made : {tokens, positions}) torch::nn::init::normal_(made->weight, 0, 0.02);
        const auto dropout = register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random));
        addLayer({tokens, positions, dropout}, [=](const at::Tensor& x) {
            return dropout->forward(tokens->forward(x) + positions->weight.slice(0, 0, x.size(1)));
        });
        for (std::int64_t i = 1; i <= params.layers; ++i) {
            const auto block =
                register_module("block" + std::to_string(i), std::make_shared<GptBlock>(params, dropout));
            addLayer({block, dropout}, [=](const at::Tensor& x) { return block->forward(x); });
        }
        const auto norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({params.width})));
        const auto output = tied_ ? tokens : embedding("output", context.input.classes);
        if (!tied_) torch::nn::init::normal_(output->weight, 0, 0.02);
        addLayer({norm, output}, [=](const at::Tensor& x) { return at::linear(norm->forward(x), output->weight); });
    }
    [[nodiscard]] Result<std::vector<SequenceLayer>> sequence() const override {
        if (!tied_) return LayeredNetwork::sequence();
        return fail("has one matrix for its first and its last layer: set tied = false in [model]");
    }

private:
    bool tied_;
};

class Gpt final : public NetworkModel {
public:
    explicit Gpt(const GptParams& params) : NetworkModel({Task::kLanguage}), params_(params) {}
    InputSpec naturalInput() const override {
        return {.shape = {params_.context}, .classes = 256, .task = Task::kLanguage};
    }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        const std::int64_t length = context.input.shape[0];
        if (length > params_.context) {
            return fail("gpt attends to at most " + std::to_string(params_.context) +
                        " tokens; samples of the data have " + std::to_string(length) +
                        ". Set context = " + std::to_string(length) + " in [model], or give shorter samples");
        }
        return std::make_shared<GptNetwork>(context, params_);
    }

private:
    GptParams params_;
};

const ModelRegistry::Add<Gpt, GptParams> kGptEntry{"gpt", "Transformer decoder with tied embeddings",
                                                   "Radford et al. 2019"};

}  // namespace
}  // namespace dasgd
