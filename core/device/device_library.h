// The CUDA runtime of this machine.
#pragma once

#include <string>

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

}  // namespace dasgd
