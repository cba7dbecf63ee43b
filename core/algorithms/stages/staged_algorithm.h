// Common part of the algorithms that train a model which is cut into stages (cluster.stages = K): the messages between
// the stages of a replica, and the mean over the replicas within each stage's ranks. Messages to the next stage are
// activations, those to the previous one their gradients.
//
// With K = 1 there are no messages, the worker loop makes the passes, and what is left is the mean: synchronous SGD in
// one all-reduce, or Local SGD.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/step/archive.h"
#include "core/step/stage.h"
#include "core/step/step_context.h"

namespace dasgd {

struct StagedParams {
    std::int64_t period = 1;
    void visit(auto&& f) {
        f(period, "period",
          {.min = 1,
           .max = 1e6,
           .unit = "steps",
           .symbol = "τ",
           .help = "1: the replicas of a stage average their gradients in each step; more: their weights after so many "
                   "steps"});
    }
};

class StagedAlgorithm : public Algorithm,
                        public Checkpointed,
                        public TrainsStages,
                        public StepsPart,
                        public NamesWeights,
                        public SendsUncoded {
public:
    explicit StagedAlgorithm(const StagedParams& params) : params_(params) {}

    void setStage(Stage& stage) override { stage_ = &stage; }
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }
    void start(StepContext& context) override;
    void afterBackward(StepContext& context) override;
    void afterStep(StepContext& context) override;
    void drain(StepContext& context) override { awaitSent(context); }
    void save(StepContext& context, Archive&) override { awaitSent(context); }
    Status load(StepContext& context, const Archive&) override {
        start(context);
        return {};
    }
    [[nodiscard]] FlatParams steppedPart(StepContext& context) override { return part(context); }
    [[nodiscard]] at::Tensor namedWeights(StepContext& context) override;
    [[nodiscard]] at::Tensor namedBuffers(StepContext& context) override;
    [[nodiscard]] std::string whyUncoded() const override {
        return "sends activations and their gradients, and no rule with coded ones is here: remove [compression]";
    }

protected:
    [[nodiscard]] bool isCut() const { return stage_ != nullptr; }
    // Precondition of both: isCut().
    [[nodiscard]] Stage& stage() { return *stage_; }
    [[nodiscard]] const StagePlace& place() const { return stage_->place(); }

    // Receive what the pass begins with, into its own tensors. Not at the first and the last stage, respectively.
    [[nodiscard]] Pending receiveInput(StepContext& context, StagePass& pass);
    [[nodiscard]] Pending receiveGradient(StepContext& context, StagePass& pass);
    // Wait for these, unless that was done before. `launchedAt`: step.
    static void awaitInput(StepContext& context, Pending& message, std::int64_t launchedAt, const StagePass& pass);
    static void awaitGradient(StepContext& context, Pending& message, std::int64_t launchedAt, const StagePass& pass);
    void sendOutput(StepContext& context, const StagePass& pass);
    void sendGradient(StepContext& context, const at::Tensor& gradient);
    // Waits until all that was sent so far, or in steps before the present one, has left.
    void awaitSent(StepContext& context);
    void awaitSentBefore(StepContext& context);

private:
    struct Sent {
        Pending message;
        std::int64_t step = 0;
        std::int64_t bytes = 0;
        std::string_view name;
    };
    [[nodiscard]] FlatParams& part(StepContext& context) { return stage_ ? stage_->part() : context.params(); }
    // Number of ranks with this stage.
    [[nodiscard]] int peers(StepContext& context) const {
        return stage_ ? stage_->place().replicas : context.comm().size();
    }
    void average(StepContext& context, at::Tensor& tensor);
    struct MessageKind {
        int tag;
        std::string_view name;  // in the timeline
    };
    static const MessageKind kActivations, kGradients;
    void send(StepContext& context, const at::Tensor& tensor, Rank to, const MessageKind& kind);
    static void await(StepContext& context, Pending& message, std::int64_t launchedAt, const at::Tensor& tensor,
                      const MessageKind& kind);

    const StagedParams params_;
    Stage* stage_ = nullptr;               // null where the model is not cut
    std::unique_ptr<Communicator> group_;  // of the ranks with this stage, where they are some and not all
    std::vector<Sent> sent_;
};

}  // namespace dasgd
