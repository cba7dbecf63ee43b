#include "core/train/steps/local_step.h"

#include <torch/types.h>

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/datasets/loader.h"
#include "core/models/sample_losses.h"
#include "core/train/device/autocast_scope.h"
#include "core/train/device/captured_passes.h"
#include "core/train/device/captured_update.h"
#include "core/train/device/pass_effects.h"
#include "core/train/device/prefetched_batches.h"

namespace dasgd {

namespace {

class RealStep final : public LocalStep {
public:
    RealStep(const Experiment& experiment, const TrainingData& data, Model& model, FlatParams& params,
             Optimizer& optimizer, Rank rank, const StepDevice& where, std::int64_t done, const ChosenSamples& chosen)
        : train_(experiment.train),
          isShared_(experiment.sharesWork()),
          model_(model),
          params_(params),
          optimizer_(optimizer),
          where_(where),
          sampler_(chosen.sampler),
          steps_(done),
          aheadStep_(done) {
        if (data.splits.train.count() == 0) return;
        const Samples& samples = where_.device ? where_.train.samples : data.splits.train;
        Samples made = samples;
        made.loading = {.threads = 0, .ahead = 1};
        if (isShared_) {
            static constexpr std::int64_t kFirst = 1;
            openLoader_ = [&experiment, &data, made] { return openSharedLoader(experiment, data, made, kFirst); };
            loader_ = openSharedLoader(experiment, data, made, gradient_);
            plan_ = planGradients(experiment, data.splits.train.count());
        } else if (chosen.batches || sampler_) {
            loader_ = sampler_ ? openDrawnLoader(experiment, data, rank, made, *sampler_, done)
                               : openUnevenLoader(experiment, data, rank, made, chosen.batches, done);
            plan_ = planSteps(experiment, data.splits.train.count());
        } else {
            openLoader_ = [&experiment, &data, rank, made, done] {
                return openLoader(experiment, data, rank, made, done);
            };
            loader_ = openLoader(experiment, data, rank, samples, done);
            plan_ = planSteps(experiment, data.splits.train.count());
            if (where_.train.bring) prefetched_.emplace(*where_.train.bring, [this] { return nextPlanned(); });
        }
        if (where_.device && train_.cudaGraph) {
            const auto note = [this](const std::string& why) {
                if (where_.note) where_.note(why);
            };
            captured_.emplace(*where_.device, passes(), note);
            update_.emplace(*where_.device, optimizer_, experiment.optimizerName, params_, note);
        }
    }

    void warmUp(at::Generator& random) override {
        if (!where_.device || !openLoader_ || model_.isStateful()) return;
        PassEffects effects(model_.module(), random);
        // These are the samples of the next step; another loader reads them, so that the step still gets them.
        Batch batch = openLoader_()->take(train_.batchSize);
        if (batch.targets.numel() == 0) return;
        if (where_.train.bring) batch = *PrefetchedBatches(*where_.train.bring, [&] { return batch; }).take();
        batch_ = laidOut(std::move(batch));
        computeLoss();
        descend();
        params_.gradients().zero_();
        effects.undo();
        batch_ = {};
        loss_ = at::Tensor();
    }
    void moveTo(std::int64_t gradient) override {
        gradient_ = gradient;
        steps_ = gradient - 1;
    }
    void load(const MicroBatch& part) override {
        if (!loader_) return;
        if (part.first() && steps_++ % plan_.stepsPerEpoch == 0) model_.beginPass(true);
        batch_ = laidOut(prefetched_ ? taken(part) : brought(loader_->take(part.samples)));
        const bool whole = part.samples == train_.batchSize && part.share() == 1;
        replays_ = whole && captured_ && captured_->captures(batch_, preventsCapture());
        if (replays_ && !where_.ownUpdate.empty()) update_->isMadeBy(where_.ownUpdate);
    }
    void learnNorms() override { sampler_->learn(dynamic_cast<HasGradientNorms&>(model_).gradientNorms(batch_)); }
    [[nodiscard]] const Batch& batch() const override { return batch_; }
    void forward(const MicroBatch& part) override {
        share_ = part.share();
        weight_ = part.weight;
        first_ = part.first();
        if (replays_) {
            captured_->forward();
            loss_ = replayedLoss_;
        } else {
            computeLoss();
        }
        sum_ = first_ ? loss_.detach() : sum_ + loss_.detach();
    }
    void backward() override {
        if (replays_) {
            captured_->backward();
        } else {
            descend();
        }
    }
    void update(double learningRate) override {
        const at::NoGradGuard guard;
        update_ ? update_->step(learningRate, replays_) : optimizer_.step(params_, learningRate);
    }
    [[nodiscard]] at::Tensor loss() override { return sum_; }

private:
    [[nodiscard]] Batch laidOut(Batch batch) const {
        if (train_.channelsLast && batch.inputs.dim() == 4) {
            batch.inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
        }
        return batch;
    }
    void computeLoss() {
        {
            const AutocastScope bfloat16(params_.weights().device().type(), train_.autocasts());
            loss_ = model_.loss(batch_);
        }
        if (share_ != 1) loss_ = loss_ * share_;
    }
    void descend() {
        if (first_) params_.gradients().zero_();
        weight_ == 1 ? loss_.backward() : (loss_ * weight_).backward();
    }
    // Passes of a whole step: share and position are those of one micro-batch.
    [[nodiscard]] CapturedPasses::Passes passes() {
        // A replay does nothing on the host: its loss stays in the tensor that the capture left it in.
        return {.forward = [this] { share_ = 1, computeLoss(), replayedLoss_ = loss_; },
                .backward = [this] { first_ = true, descend(); }};
    }
    [[nodiscard]] std::string preventsCapture() const {
        if (model_.isStateful())
            return "the model computes with what it kept of the batch before, or draws from a stream";
        return where_.capturePrevented ? where_.capturePrevented() : "";
    }

    // Brought to the device where the training set does not lie there; batches of shared work are not known ahead.
    [[nodiscard]] Batch brought(Batch batch) const {
        if (!where_.train.bring || !isShared_) return batch;
        const std::vector<at::Tensor> there = where_.train.bring->bring({batch.inputs, batch.targets})->take();
        return {there[0], there[1]};
    }

    // The next batch that load() will be asked for; the sizes follow from how the worker divides steps.
    std::optional<Batch> nextPlanned() {
        if (aheadOf_ == 0) aheadOf_ = plan_.batchOf(++aheadStep_);
        const std::int64_t samples = std::min(train_.batchSize, aheadOf_);
        aheadOf_ -= samples;
        return loader_->take(samples);
    }
    Batch taken(const MicroBatch& part) {
        std::optional<Batch> batch = prefetched_->take();
        DASGD_CHECK(batch && batch->targets.size(0) == part.samples && "batches are taken as they are planned");
        return std::move(*batch);
    }

    const TrainParams& train_;
    const bool isShared_;
    Model& model_;
    FlatParams& params_;
    Optimizer& optimizer_;
    const StepDevice where_;
    SrgSampler* const sampler_;                                 // null where samples are not drawn
    std::function<std::unique_ptr<BatchLoader>()> openLoader_;  // opens another one at the first step, without threads
    std::unique_ptr<BatchLoader> loader_;                       // null for a model that needs no data
    std::optional<PrefetchedBatches> prefetched_;
    std::optional<CapturedPasses> captured_;
    std::optional<CapturedUpdate> update_;
    Plan plan_;                  // of shared work that of its gradients
    std::int64_t gradient_ = 1;  // of shared work the next one of this rank
    std::int64_t steps_;         // steps begun; of shared work gradients of all ranks
    std::int64_t aheadStep_;     // the step whose batches are being made ahead
    std::int64_t aheadOf_ = 0;   // samples of that step that are left
    Batch batch_;
    at::Tensor loss_;          // loss of the micro-batch, times its share of the step
    at::Tensor replayedLoss_;  // tensor that replays write the loss to
    at::Tensor sum_;           // sum over the step's micro-batches so far
    double share_ = 1;
    double weight_ = 1;  // factor on the gradients of the step
    bool first_ = true;
    bool replays_ = false;  // the present passes are captured ones
};

class IdleStep final : public LocalStep {
public:
    IdleStep(const FlatParams& params, GradientFeed& feed) : slots_(params.slots().size()), feed_(feed) {}
    void load(const MicroBatch&) override {}
    [[nodiscard]] const Batch& batch() const override { return batch_; }
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
    [[nodiscard]] at::Tensor loss() override { return {}; }

private:
    std::size_t slots_;
    GradientFeed& feed_;
    const Batch batch_;
};

}  // namespace

std::unique_ptr<LocalStep> makeLocalStep(const Experiment& experiment, const TrainingData& data, Model& model,
                                         FlatParams& params, Optimizer& optimizer, Rank rank, const StepDevice& where,
                                         std::int64_t done, const ChosenSamples& chosen) {
    return std::make_unique<RealStep>(experiment, data, model, params, optimizer, rank, where, done, chosen);
}

std::unique_ptr<LocalStep> makeIdleStep(const FlatParams& params, GradientFeed& feed) {
    return std::make_unique<IdleStep>(params, feed);
}

}  // namespace dasgd
