#include "core/algorithms/averaging/delayed_average.h"

#include <torch/types.h>

#include <string>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"

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
    if (inFlight() && k == launchedAt_ + params_.delay) merge(context);
    if ((k - params_.offset) % params_.period == 0) average(context);
}

void DelayedAverage::average(StepContext& context) {
    DASGD_CHECK(!inFlight() && "one average in flight");
    if (params_.delay == 0 && params_.localWeight == 0 && params_.optimizerState != "average") {
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
    context.executor().waitFor(pending_, launchedAt_, static_cast<std::int64_t>(mean_.nbytes()));
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

// Not start(): a snapshot of step 0 has long been taken. The optimizer's state is restored before.
Status DelayedAverage::load(StepContext& context, const Archive& archive) {
    DASGD_ASSIGN(const std::int64_t inFlight, archive.integer("in_flight"));
    arrived_ = inFlight != 0;
    if (!arrived_) return {};
    DASGD_ASSIGN(launchedAt_, archive.integer("launched_at"));
    const at::Tensor& weights = context.params().weights();
    const auto count = static_cast<std::int64_t>(averaged(context).size());
    mean_ = at::empty({count * weights.numel()}, weights.options());
    DASGD_TRY(archive.read("mean", mean_));
    if (params_.correction == 0) return {};
    snapshot_ = at::empty_like(weights);
    return archive.read("snapshot", snapshot_);
}

std::vector<at::Tensor> DelayedAverage::averaged(StepContext& context) const {
    const at::Tensor& weights = context.params().weights();
    std::vector<at::Tensor> tensors{weights};
    if (params_.optimizerState != "average") return tensors;
    std::vector<at::Tensor> state = context.optimizer().state();
    // Where only time is simulated the optimiser has not stepped; what it would hold is sent all the same.
    if (weights.is_meta() && context.step() > 0) {
        state.assign(static_cast<std::size_t>(context.optimizer().stateTensors()), weights);
    }
    tensors.insert(tensors.end(), state.begin(), state.end());
    return tensors;
}

void DelayedAverage::launch(StepContext& context) {
    const at::NoGradGuard guard;
    const at::Tensor& weights = context.params().weights();
    const std::vector<at::Tensor> tensors = averaged(context);
    const auto count = static_cast<std::int64_t>(tensors.size());
    context.executor().run({SpanKind::Snapshot, count * context.params().bytes()}, [&] {
        if (!mean_.defined() || mean_.numel() != count * weights.numel()) {
            mean_ = at::empty({count * weights.numel()}, weights.options());
        }
        const at::Tensor scale = at::scalar_tensor(mixer_.scale(context.comm().size()), weights.options());
        for (std::int64_t i = 0; i < count; ++i) {
            at::Tensor part = mean_.narrow(0, i * weights.numel(), weights.numel());
            at::mul_out(part, tensors[static_cast<std::size_t>(i)], scale);
        }
        if (params_.correction > 0) {
            if (!snapshot_.defined()) snapshot_ = at::empty_like(weights);
            snapshot_.copy_(weights);
        }
    });
    pending_ = mixer_.start(context.comm(), mean_);
    launchedAt_ = context.step();
}

void DelayedAverage::merge(StepContext& context) {
    const auto bytes = static_cast<std::int64_t>(mean_.nbytes());
    await(context);
    arrived_ = false;
    context.executor().run({SpanKind::Merge, bytes, collective_}, [&] {
        const at::NoGradGuard guard;
        at::Tensor& weights = context.params().weights();
        mergeWeights(weights, mean_.narrow(0, 0, weights.numel()));
        mergeState(context);
    });
    context.record(metrics::kStalenessSteps, static_cast<double>(context.step() - launchedAt_));
}

void DelayedAverage::mergeWeights(at::Tensor& weights, at::Tensor mean) const {
    const double xi = params_.localWeight;
    const double c = params_.correction;
    if (c == 0 && xi == 0) {
        weights.copy_(mean);
    } else if (c == 0) {
        weights.lerp_(mean, 1 - xi);
    } else if (c == 1) {
        // In this form equal replicas stay equal to the last bit: m − s is exactly zero then.
        weights.add_(mean.sub_(snapshot_), 1 - xi);
    } else {
        mean.sub_(snapshot_, c);
        weights.mul_(xi + (1 - xi) * c).add_(mean, 1 - xi);
    }
}

void DelayedAverage::mergeState(StepContext& context) {
    if (params_.optimizerState == "reset") context.optimizer().reset();
    if (params_.optimizerState != "average") return;
    const std::int64_t size = context.params().size();
    const std::vector<at::Tensor> state = context.optimizer().state();
    for (std::int64_t i = 1; i < mean_.numel() / size && !mean_.is_meta(); ++i) {
        at::Tensor own = state[static_cast<std::size_t>(i - 1)];
        own.lerp_(mean_.narrow(0, i * size, size), 1 - params_.localWeight);
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
    if (params_.optimizerState == "reset") context.optimizer().reset();
    context.record(metrics::kStalenessSteps, 0);
}

}  // namespace dasgd
