// The one door into the module dasgd_cuda.so, as the program looks it up by name.
#pragma once

#include <string>

#include "core/gpu/tensor_device.h"

namespace dasgd {

inline constexpr const char* kModuleEntry = "dasgdOpenTensorDevice";
// Null where device `index` cannot be opened; then `error` says why.
using ModuleEntry = TensorDevice*(int index, std::string* error);

}  // namespace dasgd
