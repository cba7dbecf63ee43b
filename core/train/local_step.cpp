#include "core/train/local_step.h"

#include <torch/types.h>

#include "core/datasets/loader.h"

namespace dasgd {

namespace {

class TensorValue final : public LaterValue {
public:
    explicit TensorValue(at::Tensor value) : value_(std::move(value)) {}
    [[nodiscard]] bool ready() override { return value_.is_cpu(); }
    [[nodiscard]] double read() override { return value_.item<double>(); }

private:
    at::Tensor value_;
};

class RealStep final : public LocalStep {
public:
    RealStep(const Experiment& experiment, const TrainingData& data, Model& model, FlatParams& params,
             Optimizer& optimizer, Rank rank)
        : model_(model), params_(params), optimizer_(optimizer) {
        if (data.splits.train.count() == 0) return;
        loader_ = openLoader(experiment, data, rank);
        epochSteps_ = planSteps(experiment, data.splits.train.count()).stepsPerEpoch;
    }

    void load(const MicroBatch& part) override {
        if (!loader_) return;
        if (part.first() && steps_++ % epochSteps_ == 0) model_.beginPass(true);
        batch_ = loader_->take(part.samples);
    }
    void forward(const MicroBatch& part) override {
        loss_ = model_.loss(batch_);
        if (part.share() != 1) loss_ = loss_ * part.share();
        sum_ = part.first() ? loss_.detach() : sum_ + loss_.detach();
        first_ = part.first();
    }
    void backward() override {
        if (first_) params_.gradients().zero_();
        loss_.backward();
    }
    void update(double learningRate) override {
        const at::NoGradGuard guard;
        optimizer_.step(params_, learningRate);
    }
    [[nodiscard]] std::unique_ptr<LaterValue> loss() override { return std::make_unique<TensorValue>(sum_); }

private:
    Model& model_;
    FlatParams& params_;
    Optimizer& optimizer_;
    std::unique_ptr<BatchLoader> loader_;  // null for a model that needs no data
    std::int64_t epochSteps_ = 1;
    std::int64_t steps_ = 0;  // begun
    Batch batch_;
    at::Tensor loss_;  // of the micro-batch, by its share of the step
    at::Tensor sum_;   // of the step's micro-batches so far
    bool first_ = true;
};

class IdleStep final : public LocalStep {
public:
    IdleStep(const FlatParams& params, GradientFeed& feed) : slots_(params.slots().size()), feed_(feed) {}
    void load(const MicroBatch&) override {}
    void forward(const MicroBatch&) override {
        if (!feed_.hasLayerListener()) return;
        for (std::size_t slot = 0; slot < slots_; ++slot) feed_.forward(slot);
    }
    void backward() override {
        if (feed_.hasLayerListener()) {
            for (std::size_t slot = slots_; slot-- > 0;) feed_.backward(slot);
        }
        if (!feed_.hasListener()) return;
        for (std::size_t slot = slots_; slot-- > 0;) feed_.ready(slot);
    }
    void update(double) override {}
    [[nodiscard]] std::unique_ptr<LaterValue> loss() override { return nullptr; }

private:
    std::size_t slots_;
    GradientFeed& feed_;
};

}  // namespace

std::unique_ptr<LocalStep> makeLocalStep(const Experiment& experiment, const TrainingData& data, Model& model,
                                         FlatParams& params, Optimizer& optimizer, Rank rank) {
    return std::make_unique<RealStep>(experiment, data, model, params, optimizer, rank);
}

std::unique_ptr<LocalStep> makeIdleStep(const FlatParams& params, GradientFeed& feed) {
    return std::make_unique<IdleStep>(params, feed);
}

}  // namespace dasgd
