#include "core/train/local_step.h"

#include <torch/types.h>

#include <optional>

#include "core/datasets/sampler.h"

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
        : data_(data), model_(model), params_(params), optimizer_(optimizer) {
        if (data.splits.train.count() > 0) sampler_.emplace(passesOf(experiment, data, rank));
    }

    void load(std::int64_t samples) override {
        if (!sampler_) return;
        const Samples& train = data_.splits.train;
        const at::Tensor indices = sampler_->next(samples);
        batch_ = {train.inputs.index_select(0, indices), train.targets.index_select(0, indices)};
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
    const TrainingData& data_;
    Model& model_;
    FlatParams& params_;
    Optimizer& optimizer_;
    std::optional<Sampler> sampler_;
    Batch batch_;
    at::Tensor loss_;  // of the micro-batch, by its share of the step
    at::Tensor sum_;   // of the step's micro-batches so far
    bool first_ = true;
};

class IdleStep final : public LocalStep {
public:
    IdleStep(const FlatParams& params, GradientFeed& feed) : slots_(params.slots().size()), feed_(feed) {}
    void load(std::int64_t) override {}
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
