// The network for speech that Das et al. scale (arXiv 1602.06709, "CD-DNN", 7 hidden layers), with the sizes of Seide,
// Li and Yu (Interspeech 2011): 11 frames of 39 features, hidden layers of 2,048 sigmoid units, 9,304 context-dependent
// states. 45.1 M weights. The abstract of Das et al. gives no sizes; it is assumed that theirs are the same.
#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

struct CdDnnParams {
    std::int64_t layers = 7;
    std::int64_t width = 2048;
    std::string activation = "sigmoid";
    void visit(auto&& f) {
        f(layers, "layers", {.min = 1, .max = 1000, .help = "Hidden layers"});
        f(width, "width", {.min = 1, .max = 1e6, .unit = "units", .help = "Width of each hidden layer"});
        f(activation, "activation", {.help = "Activation of the hidden units", .choices = {"sigmoid", "relu"}});
    }
};

class CdDnnNetwork final : public Network {
public:
    CdDnnNetwork(const InputSpec& input, const CdDnnParams& params) : rectifies_(params.activation == "relu") {
        std::int64_t width = elementCount(input.shape);
        for (std::int64_t i = 0; i < params.layers; ++i) addLayer(std::exchange(width, params.width), params.width);
        addLayer(width, input.classes);
    }
    at::Tensor forward(at::Tensor x) override {
        x = x.flatten(1);
        for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
            x = layers_[i](x);
            x = rectifies_ ? x.relu_() : x.sigmoid_();
        }
        return layers_.back()(x);
    }

private:
    void addLayer(std::int64_t in, std::int64_t out) {
        auto layer = register_module("fc" + std::to_string(layers_.size() + 1), torch::nn::Linear(in, out));
        // Glorot and Bengio (AISTATS 2010) give their range for tanh; a sigmoid's slope at 0 is a quarter of it.
        torch::nn::init::xavier_uniform_(layer->weight, rectifies_ ? 1 : 4);
        torch::nn::init::zeros_(layer->bias);
        layers_.push_back(std::move(layer));
    }
    bool rectifies_;
    std::vector<torch::nn::Linear> layers_;
};

class CdDnn final : public Classifier {
public:
    explicit CdDnn(const CdDnnParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {429}, .classes = 9304}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<CdDnnNetwork>(context.input, params_);
    }

private:
    CdDnnParams params_;
};

const ModelRegistry::Add<CdDnn, CdDnnParams> kCdDnnEntry{
    "cd_dnn", "Seven hidden layers for context-dependent states of speech", "arXiv 1602.06709; Seide et al. 2011"};

}  // namespace
}  // namespace dasgd
