// Constraints on the settings that only devices have, checked before any rank starts, and the message for a device that
// runs out of memory.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "core/experiment/experiment.h"
#include "core/gpu/tensor_device.h"

namespace dasgd {

// Refuses settings that ask for a device where the backend has none, and those that exclude each other. Errors begin
// with the position of the key in `document`, the source of `experiment`.
[[nodiscard]] Status checkDeviceSettings(const Value& document, const Experiment& experiment);

// `doing`: "the forward pass of step 12". `reason`: LibTorch's message, with the amount asked for in its first line and
// the operator in the frames of the call behind it.
[[nodiscard]] std::string outOfMemoryText(const std::string& doing, const std::string& reason, TensorDevice* device);

}  // namespace dasgd
