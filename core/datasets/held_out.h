// The test set of data that come as one file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dasgd {

// Numbers of samples, int64, ascending.
struct HeldOut {
    at::Tensor train, test;
};

// How many of `count` samples are the test set: `fraction` of them, at least one of two or more, never all.
[[nodiscard]] std::int64_t heldOutCount(std::int64_t count, double fraction);

// Draws as many, the same ones whatever the run's seed is: experiments with other seeds are judged on the same samples.
// `classes` ([count] numbers; undefined: none) have their share of both sets, to one sample, and a class of one sample
// is trained on: files are often sorted by class.
[[nodiscard]] HeldOut drawHeldOut(std::int64_t count, double fraction, const at::Tensor& classes = {});

}  // namespace dasgd
