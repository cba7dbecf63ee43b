// Multinomial logistic regression: one linear layer, convex.
#include <torch/nn/modules/linear.h>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

class LogisticNetwork final : public Network {
public:
    explicit LogisticNetwork(const InputSpec& input)
        : linear_(register_module("linear", torch::nn::Linear(elementCount(input.shape), input.classes))) {}
    at::Tensor forward(at::Tensor x) override { return linear_(x.flatten(1)); }

private:
    torch::nn::Linear linear_;
};

class Logistic final : public Classifier, public HasGradientNorms {
public:
    explicit Logistic(const NoParams&) {}
    InputSpec naturalInput() const override { return {.shape = {1, 28, 28}, .classes = 10}; }
    at::Tensor gradientNorms(const Batch& batch) override {
        return normsOfLinear(outputGradients(batch), batch.inputs, true);
    }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<LogisticNetwork>(context.input);
    }
};

const ModelRegistry::Add<Logistic> kLogisticEntry{"logistic", "Multinomial logistic regression"};

}  // namespace
}  // namespace dasgd
