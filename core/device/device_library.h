// The CUDA runtime of this machine.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_api.h"

namespace dasgd {

// The one that LibTorch 2.11 is built for.
inline constexpr const char* kCudaRuntime = "libcudart.so.13";

// Loads it. Errors: the library is not there, or lacks a function.
[[nodiscard]] Result<DeviceApi> loadDeviceApi(const std::string& library = kCudaRuntime);

// How many devices can be used, at least one. Errors: no driver, one that is too old for the runtime, no device; each
// says what to do.
[[nodiscard]] Result<int> usableDevices(const DeviceApi& api);

struct DeviceFacts {
    std::string name;  // "NVIDIA H100 80GB HBM3"
    std::string uuid;  // 16 bytes; of a partition of a GPU its own
};
// Each device that can be used, by its index. Errors: as above, and a device that does not say what it is.
[[nodiscard]] Result<std::vector<DeviceFacts>> describeDevices(const DeviceApi& api);

// "13.0", as the driver and the runtime count them.
[[nodiscard]] std::string cudaVersionText(int version);

}  // namespace dasgd
