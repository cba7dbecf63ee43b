// Steps over flat buffers that ATen takes several passes for, as operators of LibTorch's dispatcher: on a GPU each is
// one kernel (core/gpu/flat_kernels.inc), elsewhere ATen's operators in turn. Every tensor of a call has the same type
// and number of elements, and lies on one device; none needs gradients.
#pragma once

#include <ATen/core/Tensor.h>

namespace dasgd {

// dasgd::snapshot_: out ← scale·weights, and copy ← weights where `copy` is defined.
void snapshotFlat(const at::Tensor& weights, at::Tensor out, at::Tensor copy, double scale);

// dasgd::merge_, the merge family's rule (core/algorithms/averaging/delayed_average.h):
//   weights ← ξ·weights + (1−ξ)·(mean + c·(weights − snapshot))
// Uses `mean` up. `snapshot` may be undefined where c = 0. With ξ = 0 and c = 0 the mean itself; with c = 1 weights
// whose mean is their snapshot stay as they are, to the last bit.
void mergeFlat(at::Tensor weights, at::Tensor mean, const at::Tensor& snapshot, double xi, double c);

// An outer step of SGD in torch's order (core/algorithms/slow/slow_average.h).
struct OuterStep {
    double learningRate = 1;  // α
    double momentum = 0;      // β
    bool nesterov = false;
    double penalty = 1;      // Λ
    double clip = 0;         // φ; 0: none
    double localWeight = 0;  // a
};

// dasgd::outer_step_: moves `outer` along `gradient`, which it uses up:
//   Δ ← gradient/Λ    u ← βu + Δ, cut off at ±φ    outer ← outer − α(nesterov ? Δ + βu : u)
// Without `velocity`, which is u, u is Δ.
void outerStepFlat(at::Tensor outer, at::Tensor gradient, at::Tensor velocity, const OuterStep& step);

// dasgd::outer_step_to_mean_: the same along Δ = outer − mean, and then weights ← (1−a)·outer + a·weights. Uses `mean`
// up, which may be the weights. Without `velocity`: outer ← (1−α)·outer + α·mean, with α = 1 the mean to the last bit;
// Λ and φ are not looked at.
void outerStepToMeanFlat(at::Tensor outer, at::Tensor mean, at::Tensor velocity, at::Tensor weights,
                         const OuterStep& step);

}  // namespace dasgd
