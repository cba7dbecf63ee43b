// Model of one linear layer; made by tests/bench/add_one_of_each.sh.
#include <torch/nn/modules/linear.h>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

class ExtraNetwork final : public Network {
public:
    explicit ExtraNetwork(const InputSpec& input)
        : linear_(register_module("linear", torch::nn::Linear(elementCount(input.shape), input.classes))) {}
    at::Tensor forward(at::Tensor x) override { return linear_(x.flatten(1)); }

private:
    torch::nn::Linear linear_;
};

class ExtraModel final : public Classifier {
public:
    explicit ExtraModel(const NoParams&) {}
    InputSpec naturalInput() const override { return {.shape = {8}, .classes = 2}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<ExtraNetwork>(context.input);
    }
};

const ModelRegistry::Add<ExtraModel> kExtraModelEntry{"extra_model", "One linear layer"};

}  // namespace
}  // namespace dasgd
