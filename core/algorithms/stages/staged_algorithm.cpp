#include "core/algorithms/stages/staged_algorithm.h"

#include <torch/types.h>

#include <utility>

namespace dasgd {

namespace {

std::int64_t payloadOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

}  // namespace

const StagedAlgorithm::MessageKind StagedAlgorithm::kActivations{0, "activations"};
const StagedAlgorithm::MessageKind StagedAlgorithm::kGradients{1, "gradients of activations"};

void StagedAlgorithm::start(StepContext& context) {
    if (stage_ && place().replicas > 1) group_ = context.comm().split(place().peers());
}

void StagedAlgorithm::average(StepContext& context, at::Tensor& tensor) {
    if (peers(context) == 1) return;
    Pending mean = (group_ ? *group_ : context.comm()).allReduce(tensor, Reduce::Mean);
    context.executor().waitFor(mean, context.step(), payloadOf(tensor));
}

void StagedAlgorithm::afterBackward(StepContext& context) {
    if (params_.period == 1) average(context, part(context).gradients());
}

void StagedAlgorithm::afterStep(StepContext& context) {
    if (params_.period > 1 && context.step() % params_.period == 0) average(context, part(context).weights());
}

at::Tensor StagedAlgorithm::namedWeights(StepContext& context) {
    const at::NoGradGuard guard;
    FlatParams& own = part(context);
    at::Tensor named = at::zeros_like(context.params().weights());
    const std::int64_t begin = own.weights().storage_offset() - context.params().weights().storage_offset();
    at::Tensor slice = named.narrow(0, begin, own.size());
    const bool areEqual = params_.period == 1;
    const int replica = stage_ ? stage_->place().replica : context.comm().rank().value();
    if (areEqual && replica > 0) return {};
    slice.copy_(own.weights());
    if (!areEqual) slice.div_(peers(context));
    return named;
}

at::Tensor StagedAlgorithm::namedBuffers(StepContext& context) {
    if (!stage_ || !stage_->ownBuffers().defined()) return {};
    const at::NoGradGuard guard;
    std::vector<at::Tensor> flat;
    for (const at::Tensor& buffer : context.params().buffers()) flat.push_back(buffer.flatten());
    return (torch::cat(flat) * stage_->ownBuffers()).div_(place().replicas);
}

Pending StagedAlgorithm::receiveInput(StepContext& context, StagePass& pass) {
    return context.comm().receive(pass.input, place().previous(), kActivations.tag);
}

Pending StagedAlgorithm::receiveGradient(StepContext& context, StagePass& pass) {
    return context.comm().receive(pass.gradient, place().next(), kGradients.tag);
}

void StagedAlgorithm::await(StepContext& context, Pending& message, std::int64_t launchedAt, const at::Tensor& tensor,
                            const MessageKind& kind) {
    if (message) context.executor().waitFor(message, launchedAt, payloadOf(tensor), kind.name);
}

void StagedAlgorithm::awaitInput(StepContext& context, Pending& message, std::int64_t launchedAt,
                                 const StagePass& pass) {
    await(context, message, launchedAt, pass.input, kActivations);
}

void StagedAlgorithm::awaitGradient(StepContext& context, Pending& message, std::int64_t launchedAt,
                                    const StagePass& pass) {
    await(context, message, launchedAt, pass.gradient, kGradients);
}

void StagedAlgorithm::send(StepContext& context, const at::Tensor& tensor, Rank to, const MessageKind& kind) {
    sent_.push_back({context.comm().send(tensor, to, kind.tag), context.step(), payloadOf(tensor), kind.name});
}

void StagedAlgorithm::sendOutput(StepContext& context, const StagePass& pass) {
    send(context, pass.output.detach().contiguous(), place().next(), kActivations);
}

void StagedAlgorithm::sendGradient(StepContext& context, const at::Tensor& gradient) {
    send(context, gradient, place().previous(), kGradients);
}

void StagedAlgorithm::awaitSent(StepContext& context) {
    for (Sent& sent : std::exchange(sent_, {}))
        context.executor().waitFor(sent.message, sent.step, sent.bytes, sent.name);
}

void StagedAlgorithm::awaitSentBefore(StepContext& context) {
    std::vector<Sent> kept;
    for (Sent& sent : std::exchange(sent_, {})) {
        if (sent.step < context.step()) {
            context.executor().waitFor(sent.message, sent.step, sent.bytes, sent.name);
        } else {
            kept.push_back(std::move(sent));
        }
    }
    sent_ = std::move(kept);
}

}  // namespace dasgd
