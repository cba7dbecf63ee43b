// Copies of numbers that the host made to the device that needs them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/types.h>

namespace dasgd {

// `host`, or its copy on `device`, for which the host does not wait: what the compute stream is given from now on sees
// it. It goes from a pinned copy, which LibTorch keeps until it has left; writing into `host` afterwards
// changes nothing.
[[nodiscard]] inline at::Tensor copiedTo(const at::Tensor& host, at::Device device) {
    if (host.device() == device) return host;
    return host.pin_memory().to(device, /*non_blocking=*/true);
}

}  // namespace dasgd
