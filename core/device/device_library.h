// Loads the CUDA runtime of this machine.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_api.h"

namespace dasgd {

// The runtime that LibTorch 2.11 is built for.
inline constexpr const char* kCudaRuntime = "libcudart.so.13";

// Errors: the library is not there, or lacks a function.
[[nodiscard]] Result<DeviceApi> loadDeviceApi(const std::string& library = kCudaRuntime);

// Number of devices that can be used, at least one. Errors: no driver, one that is too old for the runtime, no device;
// each says what to do.
[[nodiscard]] Result<int> usableDevices(const DeviceApi& api);

struct DeviceFacts {
    std::string name;  // "NVIDIA H100 80GB HBM3"
    std::string uuid;  // 16 bytes; a partition of a GPU has its own
};
// Facts about each device that can be used, by its index. Errors: as usableDevices(), and a device that does not say
// what it is.
[[nodiscard]] Result<std::vector<DeviceFacts>> describeDevices(const DeviceApi& api);

// Text of a version number of the driver or the runtime: "13.0".
[[nodiscard]] std::string cudaVersionText(int version);

}  // namespace dasgd
