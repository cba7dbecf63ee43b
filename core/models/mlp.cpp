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

class MlpNetwork final : public LayeredNetwork {
public:
    MlpNetwork(const BuildContext& context, const MlpParams& params) {
        const auto dropout = register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random));
        std::int64_t width = elementCount(context.input.shape);
        std::vector<std::shared_ptr<torch::nn::LinearImpl>> layers;
        for (const std::int64_t next : params.hidden) {
            layers.push_back(makeLayer(layers.size(), std::exchange(width, next), next));
        }
        layers.push_back(makeLayer(layers.size(), width, context.input.classes));
        for (const auto& layer : layers) {
            const bool isFirst = layer == layers.front(), isLast = layer == layers.back();
            addLayer({layer, dropout}, [=](const at::Tensor& x) {
                at::Tensor y = layer->forward(isFirst ? x.flatten(1) : x);
                return isLast ? y : dropout->forward(y.relu_());
            });
        }
    }

private:
    std::shared_ptr<torch::nn::LinearImpl> makeLayer(std::size_t before, std::int64_t in, std::int64_t out) {
        return register_module("fc" + std::to_string(before + 1), torch::nn::Linear(in, out));
    }
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
