#include "core/algorithms/averaging/delayed_average.h"

#include <torch/types.h>

#include <string>

#include "core/base/check.h"

namespace dasgd {

Mixer meanMixer() {
    return {.scale = [](int size) { return 1.0 / size; },
            .start = [](Communicator& comm, at::Tensor& snapshot) { return comm.allReduce(snapshot, Reduce::Sum); }};
}

std::optional<FieldError> DelayedAverageParams::check() const {
    const std::string steps = " (" + std::to_string(period) + ") steps";
    if (delay > period) {
        return FieldError{"delay", "delay is " + std::to_string(delay) + "; allowed: 0 to period" + steps};
    }
    if (offset >= period) {
        return FieldError{"offset", "offset is " + std::to_string(offset) + "; allowed: 0 to period - 1 (" +
                                        std::to_string(period - 1) + ") steps"};
    }
    if (snapshotAtZero && offset > 0 && offset < delay) {
        return FieldError{"offset", "offset is " + std::to_string(offset) + ", but the snapshot at zero is merged at " +
                                        std::to_string(delay) +
                                        " steps (delay) and only one average can be in flight; allowed with "
                                        "snapshot_at_zero: 0, or delay to period - 1"};
    }
    return std::nullopt;
}

DelayedAverage::DelayedAverage(const DelayedAverageParams& params, Mixer mixer)
    : params_(params), mixer_(std::move(mixer)) {}

void DelayedAverage::start(StepContext& context) {
    if (params_.snapshotAtZero) average(context);
}

void DelayedAverage::afterStep(StepContext& context) {
    const std::int64_t k = context.step();
    if (pending_ && k == launchedAt_ + params_.delay) merge(context);
    if ((k - params_.offset) % params_.period == 0) average(context);
}

void DelayedAverage::average(StepContext& context) {
    DASGD_CHECK(!pending_ && "one average in flight");
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
