// Steps over flat buffers that ATen takes several passes for, as operators of LibTorch's dispatcher: on a GPU each is
// one kernel (core/gpu/flat_kernels.inc), elsewhere ATen's operators in turn. Every tensor of a call has the same type
// and, unless it says otherwise, the same number of elements, and lies on one device; none needs gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dasgd {

// dasgd::snapshot_: out ← scale·weights, and copy ← weights where `copy` is defined.
void snapshotFlat(const at::Tensor& weights, at::Tensor out, at::Tensor copy, double scale);

// dasgd::snapshot_at_: the same of the weights at `places`, [K] and different, where `out` and `copy` are [K]; both are
// defined.
void snapshotFlatAt(const at::Tensor& weights, const at::Tensor& places, at::Tensor out, at::Tensor copy, double scale);

// dasgd::combine_: with y the sum of all terms a·x, added up in their order,
//   copy ← y    out ← scale·y, or scale·(base + share·y) where there is a base, which needs a copy
// y is formed in `out` or, with a base, in `copy`. That tensor may be the x of the first term, and of the second where
// the first one's a is 1. At most four terms.
struct FlatTerm {
    at::Tensor x;
    double a = 1;
};
struct FlatResult {
    at::Tensor out;
    double scale = 1;
    at::Tensor copy = {};
    at::Tensor base = {};  // may be `out`
    double share = 1;
};
void combineFlat(const std::vector<FlatTerm>& terms, const FlatResult& result);

// dasgd::sum_: with y = scale·(all x, added up in their order),
//   copy ← y    out ← y / divisor
// `out` and `copy` may be the first x. The first 65 tensors are added by one kernel, every further 64 by another one.
struct FlatSum {
    at::Tensor out;
    double scale = 1;
    double divisor = 1;
    at::Tensor copy = {};
};
void sumFlat(const std::vector<at::Tensor>& x, const FlatSum& result);

// dasgd::merge_, the merge family's rule (core/algorithms/averaging/delayed_average.h):
//   weights ← ξ·weights + (1−ξ)·(mean + c·(weights − snapshot))
// where `parts`, at most 64, are added to the mean first, in their order. Uses `mean` up. `snapshot` may be undefined
// where c = 0. With ξ = 0 and c = 0 the mean itself; with c = 1 weights whose mean is their snapshot stay as they are,
// to the last bit.
void mergeFlat(at::Tensor weights, at::Tensor mean, const at::Tensor& snapshot, double xi, double c,
               const std::vector<at::Tensor>& parts = {});

// dasgd::merge_at_: that with ξ = 0 and c = 1 of the weights at `places`, [K] and different, where `mean` and
// `snapshot` are [K].
void mergeFlatAt(at::Tensor weights, const at::Tensor& places, at::Tensor mean, const at::Tensor& snapshot);

// An outer step of SGD in torch's order (core/algorithms/slow/slow_average.h).
struct OuterStep {
    double learningRate = 1;  // α
    double momentum = 0;      // β
    bool nesterov = false;
    double penalty = 1;      // Λ
    double clip = 0;         // φ; 0: none
    double localWeight = 0;  // a
};

// dasgd::outer_step_to_mean_: an outer step along Δ = outer − mean, after which the weights are mixed with the result:
//   u ← βu + Δ/Λ, cut off at ±φ    outer ← outer − α(nesterov ? Δ/Λ + βu : u)    weights ← (1−a)·outer + a·weights
// Uses `mean` up, which may be the weights. Without `velocity`, which is u: outer ← (1−α)·outer + α·mean, with α = 1
// the mean to the last bit; Λ and φ are ignored.
void outerStepToMeanFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                         const OuterStep& step);

// Where an outer step gets Δ from the previous round, and what leaves for the next.
struct LateGradient {
    bool none = false;         // there was no previous round: Δ is 0
    bool fromPresent = false;  // the mean is one of weights: Δ is the distance to it, outer − mean
    // Factor of the payload of the next round: share·weights where Δ is from the present, else share·(outer − weights).
    double share = 1;
    // If defined: the contribution of this rank to the previous round, which its present contribution replaces in Δ.
    at::Tensor own = {};
};

// dasgd::outer_step_late_: an outer step as above along the Δ that `mean` brought, after which what leaves, of the
// values before it, is in `mean` and `own`, and the weights become the outer ones. Without `velocity` u is Δ/Λ. a is
// ignored.
void outerStepLateFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                       const OuterStep& step, const LateGradient& late);

}  // namespace dasgd
