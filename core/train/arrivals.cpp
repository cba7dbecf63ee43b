#include "core/train/arrivals.h"

#include <torch/types.h>

namespace dasgd {

namespace {

void largestOfAll(Communicator& comm, at::Tensor& values) {
    Pending pending = comm.allReduce(values, Reduce::Max);
    pending.wait();
}

}  // namespace

Ns resumeInstant(Communicator& comm, const Clock& clock, Ns arrived) {
    // How long an exchange takes: whoever comes last to this one waits for nobody.
    at::Tensor nothing = torch::zeros({1}, torch::kInt64);
    const Ns begun = clock.now();
    largestOfAll(comm, nothing);
    const Ns present = clock.now();
    at::Tensor values = torch::tensor({-arrived, -(present - begun), present}, torch::kInt64);
    largestOfAll(comm, values);
    const auto* largest = values.const_data_ptr<std::int64_t>();
    const Ns first = -largest[0];
    const Ns exchange = -largest[1];
    const Ns latest = largest[2];
    // Twice, so that even the first to go on has the answer before it may.
    return latest + 2 * exchange + (arrived - first);
}

}  // namespace dasgd
