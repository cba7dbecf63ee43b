// Test set of data that come as one file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dasgd {

// Indices of samples, int64, ascending.
struct HeldOut {
    at::Tensor train, test;
};

// Number of test samples among `count` samples: `fraction` of them, at least one of two or more, never all.
[[nodiscard]] std::int64_t heldOutCount(std::int64_t count, double fraction);

// Draws that many, the same ones whatever the run's seed is: experiments with other seeds are judged on the same
// samples. Each of `classes` ([count] numbers; undefined: none) has its share of both sets, to within one sample, and a
// class of one sample is in the training set: files are often sorted by class.
[[nodiscard]] HeldOut drawHeldOut(std::int64_t count, double fraction, const at::Tensor& classes = {});

}  // namespace dasgd
