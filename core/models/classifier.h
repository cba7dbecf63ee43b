// Common part of all networks: the loss of the task, accuracy, the two modes. A model of this kind is a Network and a
// checked way to make one.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/models/loss.h"
#include "core/models/model.h"
#include "core/models/sample_losses.h"
#include "core/models/sequence.h"

namespace dasgd {

// Computes outputs of inputs [B, …shape], in the shape of outputShape().
class Network : public torch::nn::Module {
public:
    virtual at::Tensor forward(at::Tensor x) = 0;
    // See Model::beginPass().
    virtual void beginPass(bool training) { (void)training; }
    // See Model::isStateful(), passState() and setPassState().
    [[nodiscard]] virtual bool isStateful() const { return false; }
    [[nodiscard]] virtual std::vector<at::Tensor> passState() const { return {}; }
    virtual Status setPassState(const std::vector<at::Tensor>& state) { return refusePassState(state); }
    // See HasSequence.
    [[nodiscard]] virtual Result<std::vector<SequenceLayer>> sequence() const {
        return fail("is no sequence of layers");
    }
};

// A network that is a sequence of layers.
class LayeredNetwork : public Network {
public:
    at::Tensor forward(at::Tensor x) final {
        for (const SequenceLayer& layer : layers_) x = layer.forward(x);
        return x;
    }
    [[nodiscard]] Result<std::vector<SequenceLayer>> sequence() const override { return layers_; }

protected:
    // `modules` are registered already.
    void addLayer(std::vector<std::shared_ptr<torch::nn::Module>> modules,
                  std::function<at::Tensor(const at::Tensor&)> forward) {
        layers_.push_back({std::move(modules), std::move(forward)});
    }

private:
    std::vector<SequenceLayer> layers_;
};

// The shape as text: "3x32x32".
inline std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        if (!text.empty()) text += 'x';
        text += std::to_string(extent);
    }
    return text;
}

// Number of elements of one sample.
inline std::int64_t elementCount(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

// Refuses inputs that no convolutional network here can take: anything but channels x height x width, at least
// `smallest` high and wide.
inline Status checkImage(const InputSpec& input, std::int64_t smallest, const std::string& model) {
    if (input.shape.size() == 3 && input.shape[1] >= smallest && input.shape[2] >= smallest) return {};
    return fail(model + " takes images of channels x height x width, at least " + shapeText({smallest, smallest}) +
                "; the data are " + shapeText(input.shape) + ". Choose other data, or the model mlp or logistic");
}

// A network and the loss of its task.
class NetworkModel : public Model, public HasSampleLosses, public HasSequence {
public:
    Status build(const BuildContext& context) final {
        DASGD_TRY(checkTask(context.input, tasks_));
        loss_ = lossOf(context.input.task);
        smoothing_ = context.labelSmoothing;
        if (smoothing_ > 0 && loss_ != Loss::kCrossEntropy) {
            return fail(
                "label smoothing is of cross entropy, and this model minimises another loss: leave "
                "label_smoothing out of [train]");
        }
        DASGD_ASSIGN(network_, makeNetwork(context));
        return {};
    }
    torch::nn::Module& module() final {
        DASGD_CHECK(network_ && "build() comes first");
        return *network_;
    }
    at::Tensor loss(const Batch& batch) final {
        if (batch.weights.defined()) return (losses(batch) * batch.weights).mean();
        if (!network_->is_training()) network_->train();
        return meanLossOf(network_->forward(batch.inputs), batch.targets);
    }
    at::Tensor losses(const Batch& batch) final {
        if (!network_->is_training()) network_->train();
        return sampleLosses(loss_, network_->forward(batch.inputs), batch.targets, smoothing_);
    }
    Evaluation evaluate(const Batch& batch) final {
        const at::NoGradGuard noGrad;
        if (network_->is_training()) network_->eval();
        return evaluationOf(loss_, network_->forward(batch.inputs), batch.targets);
    }
    void beginPass(bool training) final { network_->beginPass(training); }
    [[nodiscard]] bool isStateful() const final { return network_->isStateful(); }
    [[nodiscard]] std::vector<at::Tensor> passState() const final { return network_->passState(); }
    Status setPassState(const std::vector<at::Tensor>& state) final { return network_->setPassState(state); }
    [[nodiscard]] Result<std::vector<SequenceLayer>> sequence() const final { return network_->sequence(); }
    [[nodiscard]] at::Tensor meanLossOf(const at::Tensor& outputs, const at::Tensor& targets) const final {
        return meanLoss(loss_, outputs, targets, smoothing_);
    }

protected:
    // The tasks that the network can learn.
    explicit NetworkModel(std::vector<Task> tasks) : tasks_(std::move(tasks)) {}
    // Makes the network; the input's task is one of those.
    virtual Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const = 0;
    [[nodiscard]] virtual Loss lossOf(Task task) const { return usualLoss(task); }
    // Gradient of each sample's loss by its outputs, in their shape.
    [[nodiscard]] at::Tensor outputGradients(const Batch& batch) {
        const at::NoGradGuard noGrad;
        return lossGradients(loss_, network_->forward(batch.inputs), batch.targets, smoothing_);
    }

private:
    std::vector<Task> tasks_;
    Loss loss_ = Loss::kCrossEntropy;
    std::shared_ptr<Network> network_;
    double smoothing_ = 0;
};

// A network for classification.
class Classifier : public NetworkModel {
protected:
    Classifier() : NetworkModel({Task::kClassification}) {}
};

}  // namespace dasgd
