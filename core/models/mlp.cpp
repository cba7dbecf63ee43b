// Fully connected layers with ReLU between them.
#include <torch/nn/modules/linear.h>

#include <optional>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

struct MlpParams {
    std::vector<std::int64_t> hidden{128};
    void visit(auto&& f) {
        f(hidden, "hidden", {.min = 1, .max = 1e6, .unit = "units", .help = "Width of each hidden layer, in order"});
    }
};

class MlpNetwork final : public Network {
public:
    MlpNetwork(const InputSpec& input, const std::vector<std::int64_t>& hidden) {
        std::int64_t width = elementCount(input.shape);
        for (const std::int64_t next : hidden) addLayer(std::exchange(width, next), next);
        addLayer(width, input.classes);
    }
    at::Tensor forward(at::Tensor x) override {
        x = x.flatten(1);
        for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = layers_[i](x).relu_();
        return layers_.back()(x);
    }

private:
    void addLayer(std::int64_t in, std::int64_t out) {
        layers_.push_back(register_module("fc" + std::to_string(layers_.size() + 1), torch::nn::Linear(in, out)));
    }
    std::vector<torch::nn::Linear> layers_;
};

class Mlp final : public Classifier {
public:
    explicit Mlp(const MlpParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {1, 28, 28}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const InputSpec& input) const override {
        return std::make_shared<MlpNetwork>(input, params_.hidden);
    }

private:
    MlpParams params_;
};

const ModelRegistry::Add<Mlp, MlpParams> kMlpEntry{"mlp", "Multilayer perceptron with ReLU"};

}  // namespace
}  // namespace dasgd
