// Fully connected layers with ReLU, and dropout if wanted, between them.
#include <torch/nn/modules/linear.h>

#include <optional>

#include "core/models/classifier.h"
#include "core/models/dropout.h"

namespace dasgd {
namespace {

struct MlpParams {
    std::vector<std::int64_t> hidden{128};
    double dropout = 0;
    void visit(auto&& f) {
        f(hidden, "hidden", {.min = 1, .max = 1e6, .unit = "units", .help = "Width of each hidden layer, in order"});
        f(dropout, "dropout", dropoutField("Share of each hidden layer's units dropped in training"));
    }
};

class MlpNetwork final : public Network {
public:
    MlpNetwork(const BuildContext& context, const MlpParams& params)
        : dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        std::int64_t width = elementCount(context.input.shape);
        for (const std::int64_t next : params.hidden) addLayer(std::exchange(width, next), next);
        addLayer(width, context.input.classes);
    }
    at::Tensor forward(at::Tensor x) override {
        x = x.flatten(1);
        for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = dropout_->forward(layers_[i](x).relu_());
        return layers_.back()(x);
    }

private:
    void addLayer(std::int64_t in, std::int64_t out) {
        layers_.push_back(register_module("fc" + std::to_string(layers_.size() + 1), torch::nn::Linear(in, out)));
    }
    std::shared_ptr<Dropout> dropout_;
    std::vector<torch::nn::Linear> layers_;
};

class Mlp final : public NetworkModel {
public:
    explicit Mlp(const MlpParams& params) : NetworkModel({Task::kClassification, Task::kRegression}), params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {1, 28, 28}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<MlpNetwork>(context, params_);
    }

private:
    MlpParams params_;
};

const ModelRegistry::Add<Mlp, MlpParams> kMlpEntry{"mlp", "Multilayer perceptron with ReLU"};

}  // namespace
}  // namespace dasgd
