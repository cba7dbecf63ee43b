#include "core/gpu/flat_ops.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <torch/types.h>

#include <optional>

namespace dasgd {

namespace {

using OptionalTensor = std::optional<at::Tensor>;

OptionalTensor optional(const at::Tensor& tensor) { return tensor.defined() ? OptionalTensor(tensor) : std::nullopt; }

// What follows is done where no device has a kernel of its own: on the CPU, and on the meta device.

void snapshotByAten(const at::Tensor& weights, at::Tensor out, OptionalTensor copy, double scale) {
    at::mul_out(out, weights, at::scalar_tensor(scale, weights.options()));
    if (copy) copy->copy_(weights);
}

void mergeByAten(at::Tensor weights, at::Tensor mean, OptionalTensor snapshot, double xi, double c) {
    TORCH_CHECK(c == 0 || snapshot, "a merge with a correction needs the snapshot");
    if (c == 0 && xi == 0) {
        weights.copy_(mean);
    } else if (c == 0) {
        weights.lerp_(mean, 1 - xi);
    } else if (c == 1) {
        // In this form equal replicas stay equal to the last bit: m − s is exactly zero then.
        weights.add_(mean.sub_(*snapshot), 1 - xi);
    } else {
        mean.sub_(*snapshot, c);
        weights.mul_(xi + (1 - xi) * c).add_(mean, 1 - xi);
    }
}

void outerStepByAten(at::Tensor outer, at::Tensor gradient, OptionalTensor velocity, double rate, double momentum,
                     double penalty, double clip, bool nesterov) {
    if (penalty != 1) gradient.div_(penalty);
    at::Tensor direction = gradient;
    if (velocity) direction = velocity->mul_(momentum).add_(gradient);
    if (clip > 0) direction.clamp_(-clip, clip);
    if (nesterov && velocity) direction = gradient.add_(direction, momentum);
    outer.sub_(direction, rate);
}

void outerStepToMeanByAten(at::Tensor outer, at::Tensor mean, OptionalTensor velocity, at::Tensor weights, double rate,
                           double momentum, double penalty, double clip, bool nesterov, double localWeight) {
    if (velocity) {
        outerStepByAten(outer, at::sub_out(mean, outer, mean), velocity, rate, momentum, penalty, clip, nesterov);
    } else {
        outer.lerp_(mean, rate);
    }
    if (localWeight == 0) {
        weights.copy_(outer);
    } else {
        weights.lerp_(outer, 1 - localWeight);
    }
}

// Of an operator below.
template <class F>
auto operatorOf(const char* name, F*) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<F>();
}

}  // namespace

TORCH_LIBRARY(dasgd, library) {
    library.def("snapshot_(Tensor weights, Tensor(a!) out, Tensor(b!)? copy, float scale) -> ()");
    library.def("merge_(Tensor(a!) weights, Tensor(b!) mean, Tensor? snapshot, float xi, float c) -> ()");
    library.def(
        "outer_step_(Tensor(a!) outer, Tensor(b!) gradient, Tensor(c!)? velocity, float rate, float momentum, "
        "float penalty, float clip, bool nesterov) -> ()");
    library.def(
        "outer_step_to_mean_(Tensor(a!) outer, Tensor(b!) mean, Tensor(c!)? velocity, Tensor(d!) weights, float rate, "
        "float momentum, float penalty, float clip, bool nesterov, float local_weight) -> ()");
}

TORCH_LIBRARY_IMPL(dasgd, CompositeExplicitAutograd, library) {
    library.impl("snapshot_", snapshotByAten);
    library.impl("merge_", mergeByAten);
    library.impl("outer_step_", outerStepByAten);
    library.impl("outer_step_to_mean_", outerStepToMeanByAten);
}

void snapshotFlat(const at::Tensor& weights, at::Tensor out, at::Tensor copy, double scale) {
    static const auto op = operatorOf("dasgd::snapshot_", snapshotByAten);
    op.call(weights, out, optional(copy), scale);
}

void mergeFlat(at::Tensor weights, at::Tensor mean, const at::Tensor& snapshot, double xi, double c) {
    static const auto op = operatorOf("dasgd::merge_", mergeByAten);
    op.call(weights, mean, optional(snapshot), xi, c);
}

void outerStepFlat(at::Tensor outer, at::Tensor gradient, at::Tensor velocity, const OuterStep& step) {
    static const auto op = operatorOf("dasgd::outer_step_", outerStepByAten);
    op.call(outer, gradient, optional(velocity), step.learningRate, step.momentum, step.penalty, step.clip,
            step.nesterov);
}

void outerStepToMeanFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                         const OuterStep& step) {
    static const auto op = operatorOf("dasgd::outer_step_to_mean_", outerStepToMeanByAten);
    op.call(outer, mean, optional(velocity), weights, step.learningRate, step.momentum, step.penalty, step.clip,
            step.nesterov, step.localWeight);
}

}  // namespace dasgd
