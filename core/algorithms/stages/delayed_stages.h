// Stages that do not wait for each other within a step. In a tick, which is a step of every rank, stage k of K makes
//   the backward pass of the outputs that it made D_k = 2(K−1−k) ticks ago, from β times the gradient that the next
//   stage has sent in the tick before; a step of the optimiser; the forward pass over what the previous stage has sent
//   in the tick before.
// The last stage makes both passes over one batch, then its step. Between two other stages outputs have the time of a
// backward pass to arrive in, and gradients that of a forward pass; those from and to the last stage have none, so that
// a tick takes as long as the slowest stage and one message.
//
// Batch b enters stage k in tick b + k: a stage rests before its first one, and has no gradient before tick 1 + k +
// D_k. What is under way when the run ends is dropped, so that the last stage trains on K − 1 batches less than a run
// of T ticks counts as samples. Memory: D_k inputs, with their graphs and weights where `keeps` says so.
//
// Records staleness/steps: ticks from a forward pass to the step with its gradient.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/algorithms/stages/staged_algorithm.h"

namespace dasgd {

class DelayedStages : public StagedAlgorithm {
public:
    // `keeps`: what all stages but the last keep of a forward pass.
    DelayedStages(const StagedParams& params, StageKeeps keeps, double shrink)
        : StagedAlgorithm(params), keeps_(keeps), shrink_(shrink) {}

    bool makePasses(StepContext& context) override;
    void afterStep(StepContext& context) override;
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;

private:
    // A batch on its way: before its forward pass, or between that and its backward pass.
    struct Batch {
        std::int64_t number = 0;
        std::vector<StagePass> passes;
        std::vector<Pending> messages;  // of the tensors that its next pass begins with; empty: none are under way
        std::int64_t launchedAt = 0;    // step
    };

    // D_k.
    [[nodiscard]] std::int64_t delay() const { return 2 * std::int64_t{place().stages - 1 - place().stage}; }
    // Number of the batch over which the stage makes its forward pass in a tick, and its backward pass; below 1: none.
    [[nodiscard]] std::int64_t forwardIn(std::int64_t tick) const { return tick - place().stage; }
    [[nodiscard]] std::int64_t backwardIn(std::int64_t tick) const { return forwardIn(tick) - delay(); }
    void receiveForNext(StepContext& context);
    void awaitInputs(StepContext& context, Batch& batch);
    void awaitGradients(StepContext& context, Batch& batch);
    [[nodiscard]] Batch takeComing(StepContext& context);
    void makeForward(StepContext& context);
    void makeBackward(StepContext& context, Batch& batch);
    [[nodiscard]] Status loadBatch(const Archive& archive, const std::string& name, Batch& batch);

    const StageKeeps keeps_;
    const double shrink_;       // β
    std::deque<Batch> coming_;  // before their forward passes: those of this tick and the next
    std::deque<Batch> kept_;    // behind them, oldest first
};

}  // namespace dasgd
