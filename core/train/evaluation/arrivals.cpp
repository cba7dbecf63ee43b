#include "core/train/evaluation/arrivals.h"

#include <torch/types.h>

namespace dasgd {

namespace {

void reduceToLargest(Communicator& comm, at::Tensor& values) {
    Pending pending = comm.allReduce(values, Reduce::Max);
    pending.wait();
}

}  // namespace

Ns resumeInstant(Communicator& comm, const Clock& clock, Ns arrived) {
    // Duration of an exchange: the rank that comes last to this one waits for nobody.
    at::Tensor nothing = torch::zeros({1}, torch::kInt64);
    const Ns begun = clock.now();
    reduceToLargest(comm, nothing);
    const Ns present = clock.now();
    at::Tensor values = torch::tensor({-arrived, -(present - begun), present}, torch::kInt64);
    reduceToLargest(comm, values);
    const auto* largest = values.const_data_ptr<std::int64_t>();
    const Ns first = -largest[0];
    const Ns exchange = -largest[1];
    const Ns latest = largest[2];
    // Two exchanges, so that the earliest rank knows the result before its resume instant.
    return latest + 2 * exchange + (arrived - first);
}

Ns largestOfAll(Communicator& comm, Ns own) {
    at::Tensor value = torch::tensor({own}, torch::kInt64);
    reduceToLargest(comm, value);
    return value.item<std::int64_t>();
}

}  // namespace dasgd
