#include "core/gpu/flat_ops.h"

#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace dasgd {

namespace {

using OptionalTensor = std::optional<at::Tensor>;

OptionalTensor optional(const at::Tensor& tensor) { return tensor.defined() ? OptionalTensor(tensor) : std::nullopt; }

// Implementations for devices without kernels of their own: the CPU and the meta device.

// Most elements of a block: what one operator has read of it is still in the cache of its core for the next, so that
// both are one pass over memory. Blocks are whole numbers of vectors: each element is computed as without them.
std::int64_t blockOf(const at::Tensor& like) {
    constexpr std::int64_t kOfAThread = 32'768;  // ATen gives no thread of an operator less
    return like.is_cpu() ? std::min(like.numel(), kOfAThread * at::get_num_threads()) : like.numel();
}

// Calls `f` with the first element and the number of elements of each block, in turn.
template <class F>
void inBlocks(const at::Tensor& like, F f) {
    const std::int64_t all = like.numel(), most = blockOf(like);
    for (std::int64_t first = 0; first < all; first += most) f(first, std::min(most, all - first));
}

void snapshotByAten(const at::Tensor& weights, at::Tensor out, OptionalTensor copy, double scale) {
    const at::Tensor factor = at::scalar_tensor(scale, weights.options());
    inBlocks(weights, [&](std::int64_t first, std::int64_t count) {
        at::Tensor sent = out.narrow(0, first, count);
        const at::Tensor own = weights.narrow(0, first, count);
        if (copy) copy->narrow(0, first, count).copy_(own);
        at::mul_out(sent, own, factor);
    });
}

void snapshotAtByAten(const at::Tensor& weights, const at::Tensor& places, at::Tensor out, at::Tensor copy,
                      double scale) {
    at::index_select_out(copy, weights, 0, places);
    at::mul_out(out, copy, at::scalar_tensor(scale, weights.options()));
}

// Adds the first two terms in one pass where no product comes first: then `to` may be either.
void sumByAten(at::Tensor to, at::TensorList x, at::ArrayRef<double> a) {
    std::size_t next = 1;
    if (a[0] == 1 && x.size() > 1) {
        at::add_out(to, x[0], x[1], a[1]);
        next = 2;
    } else {
        if (!to.is_same(x[0])) to.copy_(x[0]);
        if (a[0] != 1) to.mul_(a[0]);
    }
    for (; next < x.size(); ++next) to.add_(x[next], a[next]);
}

void checkCombination(at::TensorList x, at::ArrayRef<double> a, const OptionalTensor& copy,
                      const OptionalTensor& base) {
    TORCH_CHECK(!x.empty() && x.size() <= 4 && x.size() == a.size(),
                "a combination has one to four terms, and a factor for each");
    TORCH_CHECK(!base || copy, "a combination with a base needs a copy");
}

void combineByAten(at::TensorList x, at::ArrayRef<double> a, at::Tensor out, double scale, OptionalTensor copy,
                   OptionalTensor base, double share) {
    checkCombination(x, a, copy, base);
    if (base) {
        sumByAten(*copy, x, a);
        at::add_out(out, *base, *copy, share);
    } else {
        sumByAten(out, x, a);
        if (copy) copy->copy_(out);
    }
    if (scale != 1) out.mul_(scale);
}

void sumAllByAten(at::TensorList x, at::Tensor out, double scale, double divisor, OptionalTensor copy) {
    TORCH_CHECK(!x.empty(), "a sum has at least one term");
    sumByAten(out, x, std::vector<double>(x.size(), 1));
    if (scale != 1) out.mul_(scale);
    if (copy) copy->copy_(out);
    if (divisor != 1) out.div_(divisor);
}

void mergeAtByAten(at::Tensor weights, const at::Tensor& places, at::Tensor mean, const at::Tensor& snapshot) {
    weights.index_add_(0, places, mean.sub_(snapshot));
}

// `difference`: as large as the others where there is a snapshot.
void mergeBlock(at::Tensor weights, const at::Tensor& mean, const at::Tensor& snapshot, at::Tensor difference,
                double xi, double c) {
    if (c == 0 && xi == 0) {
        weights.copy_(mean);
    } else if (c == 0) {
        weights.lerp_(mean, 1 - xi);
    } else if (c == 1) {
        // This form keeps equal replicas equal to the last bit: m − s is exactly zero then.
        weights.add_(at::sub_out(difference, mean, snapshot), 1 - xi);
    } else {
        at::sub_out(difference, mean, snapshot, c);
        weights.mul_(xi + (1 - xi) * c).add_(difference, 1 - xi);
    }
}

void mergeByAten(at::Tensor weights, at::Tensor mean, OptionalTensor snapshot, double xi, double c,
                 at::TensorList parts) {
    TORCH_CHECK(c == 0 || snapshot, "a merge with a correction needs the snapshot");
    at::Tensor difference;
    if (c != 0) difference = at::empty({blockOf(weights)}, weights.options());
    inBlocks(weights, [&](std::int64_t first, std::int64_t count) {
        at::Tensor own = mean.narrow(0, first, count);
        for (const at::Tensor& part : parts) own.add_(part.narrow(0, first, count));
        if (c == 0) {
            mergeBlock(weights.narrow(0, first, count), own, {}, {}, xi, c);
        } else {
            mergeBlock(weights.narrow(0, first, count), own, snapshot->narrow(0, first, count),
                       difference.narrow(0, 0, count), xi, c);
        }
    });
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

void outerStepLateByAten(at::Tensor outer, at::Tensor mean, OptionalTensor velocity, at::Tensor weights, double rate,
                         double momentum, double penalty, double clip, bool nesterov, bool none, bool fromPresent,
                         double share, OptionalTensor own) {
    // `weights` holds the value that leaves until it becomes the outer weights.
    if (!fromPresent) at::add_out(weights, outer, weights, -1);
    if (share != 1) weights.mul_(share);
    if (none) {
        mean.zero_();
    } else if (fromPresent) {
        at::sub_out(mean, outer, mean);
    }
    if (own && !none) mean.sub_(*own);
    if (own) mean.add_(weights);
    outerStepByAten(outer, mean, velocity, rate, momentum, penalty, clip, nesterov);
    mean.copy_(weights);
    if (own) own->copy_(weights);
    weights.copy_(outer);
}

// Looks up one of the operators defined below.
template <class F>
auto operatorOf(const char* name, F*) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<F>();
}

}  // namespace

TORCH_LIBRARY(dasgd, library) {
    library.def("snapshot_(Tensor weights, Tensor(a!) out, Tensor(b!)? copy, float scale) -> ()");
    library.def("snapshot_at_(Tensor weights, Tensor places, Tensor(a!) out, Tensor(b!) copy, float scale) -> ()");
    library.def(
        "combine_(Tensor[] x, float[] a, Tensor(a!) out, float scale, Tensor(b!)? copy, Tensor? base, float share) -> "
        "()");
    library.def("sum_(Tensor[] x, Tensor(a!) out, float scale, float divisor, Tensor(b!)? copy) -> ()");
    library.def("merge_at_(Tensor(a!) weights, Tensor places, Tensor(b!) mean, Tensor snapshot) -> ()");
    library.def(
        "merge_(Tensor(a!) weights, Tensor(b!) mean, Tensor? snapshot, float xi, float c, Tensor[] parts) -> ()");
    library.def(
        "outer_step_to_mean_(Tensor(a!) outer, Tensor(b!) mean, Tensor(c!)? velocity, Tensor(d!) weights, float rate, "
        "float momentum, float penalty, float clip, bool nesterov, float local_weight) -> ()");
    library.def(
        "outer_step_late_(Tensor(a!) outer, Tensor(b!) mean, Tensor(c!)? velocity, Tensor(d!) weights, float rate, "
        "float momentum, float penalty, float clip, bool nesterov, bool none, bool from_present, float share, "
        "Tensor(e!)? own) -> ()");
}

TORCH_LIBRARY_IMPL(dasgd, CompositeExplicitAutograd, library) {
    library.impl("snapshot_", snapshotByAten);
    library.impl("merge_", mergeByAten);
    library.impl("snapshot_at_", snapshotAtByAten);
    library.impl("combine_", combineByAten);
    library.impl("sum_", sumAllByAten);
    library.impl("merge_at_", mergeAtByAten);
    library.impl("outer_step_to_mean_", outerStepToMeanByAten);
    library.impl("outer_step_late_", outerStepLateByAten);
}

void snapshotFlat(const at::Tensor& weights, at::Tensor out, at::Tensor copy, double scale) {
    static const auto op = operatorOf("dasgd::snapshot_", snapshotByAten);
    op.call(weights, out, optional(copy), scale);
}

void snapshotFlatAt(const at::Tensor& weights, const at::Tensor& places, at::Tensor out, at::Tensor copy,
                    double scale) {
    static const auto op = operatorOf("dasgd::snapshot_at_", snapshotAtByAten);
    op.call(weights, places, out, copy, scale);
}

void combineFlat(const std::vector<FlatTerm>& terms, const FlatResult& result) {
    static const auto op = operatorOf("dasgd::combine_", combineByAten);
    std::vector<at::Tensor> x;
    std::vector<double> a;
    for (const FlatTerm& term : terms) {
        x.push_back(term.x);
        a.push_back(term.a);
    }
    op.call(x, a, result.out, result.scale, optional(result.copy), optional(result.base), result.share);
}

void sumFlat(const std::vector<at::Tensor>& x, const FlatSum& result) {
    static const auto op = operatorOf("dasgd::sum_", sumAllByAten);
    op.call(x, result.out, result.scale, result.divisor, optional(result.copy));
}

void mergeFlatAt(at::Tensor weights, const at::Tensor& places, at::Tensor mean, const at::Tensor& snapshot) {
    static const auto op = operatorOf("dasgd::merge_at_", mergeAtByAten);
    op.call(weights, places, mean, snapshot);
}

void mergeFlat(at::Tensor weights, at::Tensor mean, const at::Tensor& snapshot, double xi, double c,
               const std::vector<at::Tensor>& parts) {
    static const auto op = operatorOf("dasgd::merge_", mergeByAten);
    op.call(weights, mean, optional(snapshot), xi, c, parts);
}

void outerStepToMeanFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                         const OuterStep& step) {
    static const auto op = operatorOf("dasgd::outer_step_to_mean_", outerStepToMeanByAten);
    op.call(outer, mean, optional(velocity), weights, step.learningRate, step.momentum, step.penalty, step.clip,
            step.nesterov, step.localWeight);
}

void outerStepLateFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                       const OuterStep& step, const LateGradient& late) {
    static const auto op = operatorOf("dasgd::outer_step_late_", outerStepLateByAten);
    op.call(outer, mean, optional(velocity), weights, step.learningRate, step.momentum, step.penalty, step.clip,
            step.nesterov, late.none, late.fromPresent, late.share, optional(late.own));
}

}  // namespace dasgd
