// Rules of the settings that only devices have, checked before any rank starts; and what is said where a device runs
// out of memory.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/value.h"
#include "core/experiment/experiment.h"
#include "core/gpu/tensor_device.h"

namespace dasgd {

// Settings that ask for a device where the backend has none, and those that cannot go together. Errors begin with the
// place of the key in `document`, from which `experiment` was read.
[[nodiscard]] Status checkDeviceSettings(const Value& document, const Experiment& experiment);

// `doing`: "the forward pass of step 12". `reason`: what LibTorch says: how much was asked for in its first line, by
// which operator in the frames of the call behind it.
[[nodiscard]] std::string outOfMemoryText(const std::string& doing, const std::string& reason, TensorDevice* device);

}  // namespace dasgd
