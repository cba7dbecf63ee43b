// How synchronous SGD divides its gradients into buckets, as PyTorch DDP (arXiv 2006.15704): in the reverse of the
// order of registration, each bucket closed by the gradient that brings it to its limit. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace dasgd {

struct PlannedBucket {
    std::size_t first = 0;  // the parameters [first, last), in order of registration
    std::size_t last = 0;
    double bytes = 0;
};

// In the order in which they leave. `parameterBytes` in order of registration; limits in bytes: `firstLimit` closes the
// bucket that leaves first, `limit` the others.
[[nodiscard]] std::vector<PlannedBucket> planBuckets(const std::vector<double>& parameterBytes, double firstLimit,
                                                     double limit);

}  // namespace dasgd
