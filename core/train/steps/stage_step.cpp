#include "core/train/steps/stage_step.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/models/sequence.h"
#include "core/train/data/stage_plan.h"
#include "core/train/evaluation/evaluator.h"

namespace dasgd {

namespace {

StagePlace placeOf(const Experiment& experiment, Rank rank) {
    const int stages = static_cast<int>(experiment.cluster.stages);
    return {.stages = stages,
            .stage = rank.value() % stages,
            .replicas = experiment.cluster.ranks() / stages,
            .replica = rank.value() / stages};
}

const StagePlan::Part& partOfPlan(const StageParts& parts, Rank rank) {
    DASGD_CHECK(parts.data.stages);
    return parts.data.stages->parts[static_cast<std::size_t>(placeOf(parts.experiment, rank).stage)];
}

FlatParams parametersOf(const StageParts& parts, Rank rank) {
    const StagePlan::Part& own = partOfPlan(parts, rank);
    FlatParams& whole = parts.params;
    const auto offsetOf = [&](std::size_t slot) {
        return slot < whole.slots().size() ? whole.slots()[slot].offset : whole.size();
    };
    const std::int64_t begin = offsetOf(own.firstSlot), end = offsetOf(own.endSlot);
    return FlatParams::partOf(whole, begin, whole.gradients().narrow(0, begin, end - begin));
}

std::vector<SequenceLayer> layersOf(const StageParts& parts, Rank rank) {
    std::vector<SequenceLayer> all = dynamic_cast<const HasSequence&>(*parts.model).sequence().value();
    const StagePlan::Part& own = partOfPlan(parts, rank);
    return {all.begin() + static_cast<std::ptrdiff_t>(own.firstLayer),
            all.begin() + static_cast<std::ptrdiff_t>(own.endLayer)};
}

at::Tensor maskOfBuffers(const StageParts& parts, Rank rank) {
    if (!parts.model || parts.params.buffers().empty()) return {};
    std::vector<at::Tensor> own, masks;
    for (const SequenceLayer& layer : layersOf(parts, rank)) {
        for (const auto& module : layer.modules) {
            for (const at::Tensor& buffer : floatingBuffers(*module)) own.push_back(buffer);
        }
    }
    for (const at::Tensor& buffer : parts.params.buffers()) {
        const bool isOwn = std::ranges::any_of(own, [&](const at::Tensor& one) { return one.is_same(buffer); });
        masks.push_back(isOwn ? torch::ones_like(buffer).flatten() : torch::zeros_like(buffer).flatten());
    }
    return torch::cat(masks);
}

std::vector<std::int64_t> withSamples(std::int64_t samples, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> all{samples};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

// The parts that both kinds of stage have: micro-batches, shapes of messages, and the charged share of a step's time.
class PlannedStage : public StageStep {
public:
    PlannedStage(const StageParts& parts, Rank rank)
        : StageStep(placeOf(parts.experiment, rank), parametersOf(parts, rank), maskOfBuffers(parts, rank)),
          executor_(parts.executor),
          train_(parts.experiment.train),
          own_(partOfPlan(parts, rank)),
          plan_(planSteps(parts.experiment, parts.data.splits.train.count())),
          layerCount_(parts.data.stages->parts.back().endLayer),
          options_(parts.params.weights().options()) {}

    [[nodiscard]] std::vector<StagePass> passesOf(std::int64_t number) const final {
        const std::int64_t batch = plan_.batchOf(number);
        std::vector<StagePass> passes;
        for (std::int64_t before = 0; before < batch; before += train_.batchSize) {
            StagePass pass{.batch = number, .first = before == 0};
            pass.samples = std::min(train_.batchSize, batch - before);
            pass.share = static_cast<double>(pass.samples) / static_cast<double>(batch);
            if (!place().isFirst()) pass.input = at::empty(withSamples(pass.samples, own_.input), options_);
            if (!place().isLast()) pass.gradient = at::empty(withSamples(pass.samples, own_.output), options_);
            passes.push_back(std::move(pass));
        }
        return passes;
    }
    [[nodiscard]] std::string description() const final {
        return "stage " + std::to_string(place().stage + 1) + " of " + std::to_string(place().stages) + ": layers " +
               std::to_string(own_.firstLayer + 1) + " to " + std::to_string(own_.endLayer) + " of " +
               std::to_string(layerCount_) + ", " + std::to_string(parameters_) + " parameters";
    }

protected:
    // Announces a pass that takes the fraction `ofModel` of a whole model's.
    void announce(const StagePass& pass, double ofModel, bool beginsStep) {
        const double share = static_cast<double>(pass.samples) / static_cast<double>(train_.batchSize);
        executor_.setBatchShare(share * ofModel, !beginsStep);
    }
    // The last stage counts the samples of a replica.
    [[nodiscard]] Work forwardWork(const StagePass& pass) const {
        return {.kind = SpanKind::Forward, .bytes = place().isLast() ? pass.samples : 0};
    }

    Executor& executor_;
    const TrainParams& train_;
    const StagePlan::Part own_;
    const Plan plan_;
    const std::size_t layerCount_;
    const std::int64_t parameters_ = part().parameters();
    const at::TensorOptions options_;
};

class RealStage final : public PlannedStage {
public:
    RealStage(const StageParts& parts, Rank rank)
        : PlannedStage(parts, rank),
          parts_(parts),
          layers_(layersOf(parts, rank)),
          cut_(dynamic_cast<const HasSequence&>(*parts.model)) {
        for (std::size_t slot = own_.firstSlot; slot < own_.endSlot; ++slot) {
            slots_.push_back(parts.params.slots()[slot]);
        }
    }

    void forward(StagePass& pass, StageKeeps keeps) override {
        if (keeps == StageKeeps::GraphAndWeights) {
            executor_.run({SpanKind::Snapshot, part().bytes()}, [&] {
                const at::NoGradGuard guard;
                pass.weights = part().weights().clone();
            });
        }
        loadInto(pass);
        announce(pass, own_.forward, pass.first);
        executor_.run(forwardWork(pass), [&] {
            pass.random = parts_.forward.get_state();
            compute(pass, keeps != StageKeeps::Input);
        });
        if (!place().isLast()) return;
        sum_ = pass.first ? pass.output.detach() : sum_ + pass.output.detach();
        loss_ = sum_;
    }

    void recompute(StagePass& pass) override {
        loadInto(pass);
        announce(pass, own_.forward, false);
        executor_.run({SpanKind::Forward}, [&] {
            const at::Tensor now = parts_.forward.get_state();
            torch::nn::Module& module = parts_.model->module();
            const at::Tensor buffers = copyOfBuffers(parts_.params), counters = copyOfCounters(module);
            parts_.forward.set_state(pass.random);
            compute(pass, true);
            parts_.forward.set_state(now);
            const at::NoGradGuard guard;
            if (buffers.defined()) setBuffers(parts_.params, buffers);
            if (counters.defined()) setCounters(module, counters);
        });
    }

    at::Tensor backward(StagePass& pass) override {
        announce(pass, own_.backward, false);
        at::Tensor ofInput;
        executor_.run({SpanKind::Backward}, [&] {
            if (pass.first) part().gradients().zero_();
            const WeightsOf weights(*this, pass.weights);
            place().isLast() ? pass.output.backward() : pass.output.backward(pass.gradient);
            if (!place().isFirst()) ofInput = pass.input.grad().contiguous();
        });
        return ofInput;
    }

private:
    // Gives the stage's modules the weights that a pass has kept, if any, as long as it lives. A graph refers to the
    // parameters that are leaves of it, and reads what they then hold.
    class WeightsOf {
    public:
        WeightsOf(RealStage& stage, const at::Tensor& kept) : stage_(stage), isSet_(kept.defined()) {
            if (isSet_) stage_.setWeights(kept);
        }
        ~WeightsOf() {
            if (isSet_) stage_.setWeights(stage_.part().weights());
        }
        WeightsOf(const WeightsOf&) = delete;
        WeightsOf& operator=(const WeightsOf&) = delete;

    private:
        RealStage& stage_;
        const bool isSet_;
    };

    void setWeights(const at::Tensor& flat) {
        const at::NoGradGuard guard;
        const std::int64_t begin = slots_.front().offset;
        for (FlatParams::Slot& slot : slots_) {
            const at::Tensor values = flat.narrow(0, slot.offset - begin, slot.numel);
            slot.parameter.set_data(
                values.as_strided(slot.parameter.sizes(), slot.parameter.strides(), values.storage_offset()));
        }
    }

    void loadInto(StagePass& pass) {
        if (pass.targets.defined() || (place().isFirst() && pass.input.defined())) return;
        if (!place().isFirst() && !place().isLast()) return;
        announce(pass, 1, pass.first);
        executor_.run({SpanKind::Data}, [&] {
            if (!loader_) {
                loader_ = openLoader(parts_.experiment, parts_.data, Rank(place().replica), parts_.data.splits.train,
                                     pass.batch - 1);
            }
            Batch batch = loader_->take(pass.samples);
            if (place().isLast()) {
                pass.targets = std::move(batch.targets);
            } else {
                const bool reorders = train_.channelsLast && batch.inputs.dim() == 4;
                pass.input = reorders ? batch.inputs.contiguous(at::MemoryFormat::ChannelsLast) : batch.inputs;
            }
        });
    }

    void compute(StagePass& pass, bool keepsGraph) {
        torch::nn::Module& module = parts_.model->module();
        if (!module.is_training()) module.train();
        const at::AutoGradMode mode(keepsGraph);
        const WeightsOf weights(*this, pass.weights);
        if (!place().isFirst()) pass.input = pass.input.detach().requires_grad_(keepsGraph);
        at::Tensor x = pass.input;
        for (const SequenceLayer& layer : layers_) x = layer.forward(x);
        if (place().isLast()) {
            x = cut_.meanLossOf(x, pass.targets);
            if (pass.share != 1) x = x * pass.share;
        }
        pass.output = std::move(x);
    }

    const StageParts parts_;
    const std::vector<SequenceLayer> layers_;
    const HasSequence& cut_;
    std::vector<FlatParams::Slot> slots_;  // of the model's own parameters
    std::unique_ptr<BatchLoader> loader_;  // from the first batch that is asked for
    at::Tensor sum_;                       // loss of the batch under way, over its micro-batches so far
};

// Tensors are shapes only.
class IdleStage final : public PlannedStage {
public:
    using PlannedStage::PlannedStage;

    void forward(StagePass& pass, StageKeeps keeps) override {
        if (keeps == StageKeeps::GraphAndWeights) executor_.run({SpanKind::Snapshot, part().bytes()}, [] {});
        if (place().isFirst() || place().isLast()) {
            announce(pass, 1, pass.first);
            executor_.run({SpanKind::Data}, [] {});
        }
        announce(pass, own_.forward, pass.first);
        executor_.run(forwardWork(pass), [] {});
        if (!place().isLast()) pass.output = at::empty_like(pass.gradient);
    }
    void recompute(StagePass& pass) override {
        announce(pass, own_.forward, false);
        executor_.run({SpanKind::Forward}, [] {});
    }
    at::Tensor backward(StagePass& pass) override {
        announce(pass, own_.backward, false);
        executor_.run({SpanKind::Backward}, [] {});
        return place().isFirst() ? at::Tensor() : at::empty_like(pass.input);
    }
};

}  // namespace

std::unique_ptr<StageStep> makeStage(const StageParts& parts, Rank rank) {
    if (!parts.model) return std::make_unique<IdleStage>(parts, rank);
    return std::make_unique<RealStage>(parts, rank);
}

}  // namespace dasgd
