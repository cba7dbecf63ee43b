#include "core/algorithms/averaging/delayed_average.h"

#include <torch/types.h>

namespace dasgd {

Mixer meanMixer() {
    return {.scale = [](int size) { return 1.0 / size; },
            .start = [](Communicator& comm, at::Tensor& snapshot) { return comm.allReduce(snapshot, Reduce::Sum); }};
}

DelayedAverage::DelayedAverage(const DelayedAverageParams& params, Mixer mixer)
    : params_(params), mixer_(std::move(mixer)) {}

void DelayedAverage::start(StepContext& context) {
    if (params_.snapshotAtZero) launch(context);
}

void DelayedAverage::afterStep(StepContext& context) {
    const std::int64_t k = context.step();
    if (pending_ && k == launchedAt_ + params_.delay) merge(context);
    if ((k - params_.offset) % params_.period != 0) return;
    if (params_.delay == 0 && params_.localWeight == 0) {
        averageInPlace(context);
        return;
    }
    launch(context);
    if (params_.delay == 0) merge(context);
}

void DelayedAverage::drain(StepContext& context) {
    if (!pending_) return;
    context.executor().waitFor(pending_, launchedAt_, context.params().bytes());
}

void DelayedAverage::launch(StepContext& context) {
    const at::NoGradGuard guard;
    const at::Tensor& weights = context.params().weights();
    context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
        if (!mean_.defined()) mean_ = at::empty_like(weights);
        at::mul_out(mean_, weights, at::scalar_tensor(mixer_.scale(context.comm().size()), weights.options()));
        if (params_.correction > 0) {
            if (!snapshot_.defined()) snapshot_ = at::empty_like(weights);
            snapshot_.copy_(weights);
        }
    });
    pending_ = mixer_.start(context.comm(), mean_);
    launchedAt_ = context.step();
}

void DelayedAverage::merge(StepContext& context) {
    const std::int64_t bytes = context.params().bytes();
    const std::uint64_t collective = pending_.collective();
    context.executor().waitFor(pending_, launchedAt_, bytes);
    context.executor().run({SpanKind::Merge, bytes, collective}, [&] { mix(context.params().weights()); });
}

void DelayedAverage::mix(at::Tensor& weights) {
    const at::NoGradGuard guard;
    const double xi = params_.localWeight;
    const double c = params_.correction;
    if (c == 0 && xi == 0) {
        weights.copy_(mean_);
    } else if (c == 0) {
        weights.lerp_(mean_, 1 - xi);
    } else if (c == 1) {
        // In this form equal replicas stay equal to the last bit: m − s is exactly zero then.
        weights.add_(mean_.sub_(snapshot_), 1 - xi);
    } else {
        mean_.sub_(snapshot_, c);
        weights.mul_(xi + (1 - xi) * c).add_(mean_, 1 - xi);
    }
}

// With nothing overlapped the weights themselves can travel: no snapshot, no copy back, the same bits.
void DelayedAverage::averageInPlace(StepContext& context) {
    at::Tensor& weights = context.params().weights();
    context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
        const at::NoGradGuard guard;
        weights.mul_(mixer_.scale(context.comm().size()));
    });
    Pending pending = mixer_.start(context.comm(), weights);
    context.executor().waitFor(pending, context.step(), context.params().bytes());
}

}  // namespace dasgd
