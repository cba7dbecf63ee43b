// A language model of characters: embedding, LSTM layers (Hochreiter and Schmidhuber 1997), linear layer; sizes as in
// McMahan et al. (arXiv 1602.05629) for Shakespeare: 8-dimensional embedding, 2 layers of 256. The state is carried
// from one batch to the next of a pass, without gradients (truncated backpropagation through time).
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include <optional>
#include <tuple>

#include "core/models/classifier.h"
#include "core/models/dropout.h"

namespace dasgd {
namespace {

struct CharLstmParams {
    std::int64_t layers = 2;
    std::int64_t width = 256;
    std::int64_t embedding = 8;
    std::int64_t context = 80;
    double dropout = 0;
    void visit(auto&& f) {
        f(layers, "layers", {.min = 1, .max = 64, .help = "LSTM layers"});
        f(width, "width", {.min = 1, .max = 65536, .unit = "units", .help = "Units of each LSTM layer"});
        f(embedding, "embedding", {.min = 1, .max = 65536, .help = "Dimensions of a token's embedding"});
        f(context, "context",
          {.min = 1, .max = 65536, .unit = "tokens", .help = "Tokens of a sample, which gradients go back through"});
        f(dropout, "dropout", dropoutField("Share of values dropped in training after each LSTM layer"));
    }
};

class CharLstmNetwork final : public Network {
public:
    CharLstmNetwork(const BuildContext& context, const CharLstmParams& params)
        : embedding_(register_module("embedding", torch::nn::Embedding(context.input.classes, params.embedding))),
          dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        std::int64_t width = params.embedding;
        for (std::int64_t i = 1; i <= params.layers; ++i) {
            const auto options =
                torch::nn::LSTMOptions(std::exchange(width, params.width), params.width).batch_first(true);
            lstms_.push_back(register_module("lstm" + std::to_string(i), torch::nn::LSTM(options)));
        }
        fc_ = register_module("fc", torch::nn::Linear(width, context.input.classes));
    }

    at::Tensor forward(at::Tensor x) override {
        States& states = is_training() ? training_ : evaluation_;
        const bool continues = !states.empty() && std::get<0>(states[0]).size(1) == x.size(0);
        if (!continues) states.assign(lstms_.size(), {});
        x = embedding_(x);
        for (std::size_t i = 0; i < lstms_.size(); ++i) {
            auto [y, state] = lstms_[i](x, continues ? std::optional(states[i]) : std::nullopt);
            states[i] = {std::get<0>(state).detach(), std::get<1>(state).detach()};
            x = dropout_->forward(y);
        }
        return fc_(x);
    }

    void beginPass(bool training) override { (training ? training_ : evaluation_).clear(); }
    [[nodiscard]] bool isStateful() const override { return true; }
    [[nodiscard]] std::vector<at::Tensor> passState() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [hidden, cell] : training_) tensors.insert(tensors.end(), {hidden, cell});
        return tensors;
    }
    Status setPassState(const std::vector<at::Tensor>& state) override {
        if (state.size() != 2 * lstms_.size() && !state.empty()) {
            return fail("the saved state is of " + std::to_string(state.size() / 2) + " layers; this network has " +
                        std::to_string(lstms_.size()));
        }
        training_.clear();
        for (std::size_t i = 0; i < state.size(); i += 2) training_.emplace_back(state[i], state[i + 1]);
        return {};
    }

private:
    // Hidden and cell state of each layer; empty before the first batch.
    using States = std::vector<std::tuple<at::Tensor, at::Tensor>>;

    torch::nn::Embedding embedding_;
    std::shared_ptr<Dropout> dropout_;
    std::vector<torch::nn::LSTM> lstms_;
    torch::nn::Linear fc_{nullptr};
    States training_, evaluation_;
};

class CharLstm final : public NetworkModel {
public:
    explicit CharLstm(const CharLstmParams& params) : NetworkModel({Task::kLanguage}), params_(params) {}
    InputSpec naturalInput() const override {
        return {.shape = {params_.context}, .classes = 256, .task = Task::kLanguage};
    }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<CharLstmNetwork>(context, params_);
    }

private:
    CharLstmParams params_;
};

const ModelRegistry::Add<CharLstm, CharLstmParams> kCharLstmEntry{"char_lstm", "LSTM language model of characters",
                                                                  "arXiv 1602.05629; Hochreiter and Schmidhuber 1997"};

}  // namespace
}  // namespace dasgd
