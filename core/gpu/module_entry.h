// The function of the module dasgd_cuda.so that the program looks up by name.
#pragma once

#include <string>

#include "core/gpu/tensor_device.h"

namespace dasgd {

inline constexpr const char* kModuleEntry = "dasgdOpenTensorDevice";
// Opens device `index`; null where that fails, with the reason in `error`.
using ModuleEntry = TensorDevice*(int index, std::string* error);

}  // namespace dasgd
