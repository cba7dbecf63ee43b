#include "core/algorithms/averaging/delayed_average.h"

#include <torch/types.h>

#include "core/step/archive.h"

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
    if (inFlight() && k == launchedAt_ + params_.delay) merge(context);
    if ((k - params_.offset) % params_.period != 0) return;
    if (params_.delay == 0 && params_.localWeight == 0) {
        averageInPlace(context);
        return;
    }
    launch(context);
    if (params_.delay == 0) merge(context);
}

void DelayedAverage::drain(StepContext& context) {
    await(context);
    arrived_ = false;
}

void DelayedAverage::await(StepContext& context) {
    if (!pending_) return;
    collective_ = pending_.collective();
    context.executor().waitFor(pending_, launchedAt_, context.params().bytes());
    arrived_ = true;
}

void DelayedAverage::save(StepContext& context, Archive& archive) {
    await(context);
    archive.put("in_flight", static_cast<std::int64_t>(arrived_));
    if (!arrived_) return;
    archive.put("launched_at", launchedAt_);
    archive.put("mean", mean_);
    if (params_.correction > 0) archive.put("snapshot", snapshot_);
}

// Not start(): a snapshot of step 0 has long been taken.
Status DelayedAverage::load(StepContext& context, const Archive& archive) {
    DASGD_ASSIGN(const std::int64_t inFlight, archive.integer("in_flight"));
    arrived_ = inFlight != 0;
    if (!arrived_) return {};
    DASGD_ASSIGN(launchedAt_, archive.integer("launched_at"));
    mean_ = at::empty_like(context.params().weights());
    DASGD_TRY(archive.read("mean", mean_));
    if (params_.correction == 0) return {};
    snapshot_ = at::empty_like(mean_);
    return archive.read("snapshot", snapshot_);
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
    await(context);
    arrived_ = false;
    context.executor().run({SpanKind::Merge, bytes, collective_}, [&] { mix(context.params().weights()); });
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
