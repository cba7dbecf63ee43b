// What every network for classification shares: cross-entropy, accuracy, the two modes. A model of this kind is a
// Network and a checked way to make one.
#pragma once

#include <torch/nn/functional/loss.h>
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/models/model.h"

namespace dasgd {

// Logits [B, classes] of inputs [B, …shape].
class Network : public torch::nn::Module {
public:
    virtual at::Tensor forward(at::Tensor x) = 0;
};

// "3x32x32".
inline std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        if (!text.empty()) text += 'x';
        text += std::to_string(extent);
    }
    return text;
}

// Of one sample.
inline std::int64_t elementCount(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

// Refuses what no convolutional network here can take: anything but channels x height x width, at least `smallest` high
// and wide.
inline Status checkImage(const InputSpec& input, std::int64_t smallest, const std::string& model) {
    if (input.shape.size() == 3 && input.shape[1] >= smallest && input.shape[2] >= smallest) return {};
    return fail(model + " takes images of channels x height x width, at least " + shapeText({smallest, smallest}) +
                "; the data are " + shapeText(input.shape) + ". Choose other data, or the model mlp or logistic");
}

class Classifier : public Model {
public:
    Status build(const BuildContext& context) final {
        if (context.input.classes < 2) {
            return fail("classification needs at least 2 classes; the data have " +
                        std::to_string(context.input.classes));
        }
        smoothing_ = context.labelSmoothing;
        DASGD_ASSIGN(network_, makeNetwork(context));
        return {};
    }
    torch::nn::Module& module() final {
        DASGD_CHECK(network_ && "build() comes first");
        return *network_;
    }
    at::Tensor loss(const Batch& batch) final {
        if (!network_->is_training()) network_->train();
        const auto options = torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(smoothing_);
        return torch::nn::functional::cross_entropy(network_->forward(batch.inputs), batch.targets, options);
    }
    Evaluation evaluate(const Batch& batch) final {
        const at::NoGradGuard noGrad;
        if (network_->is_training()) network_->eval();
        const at::Tensor logits = network_->forward(batch.inputs);
        const auto options = torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum);
        return {.lossSum = torch::nn::functional::cross_entropy(logits, batch.targets, options).item<double>(),
                .correct = logits.argmax(1).eq(batch.targets).sum().item<std::int64_t>(),
                .samples = batch.targets.size(0)};
    }

protected:
    virtual Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const = 0;

private:
    std::shared_ptr<Network> network_;
    double smoothing_ = 0;
};

}  // namespace dasgd
