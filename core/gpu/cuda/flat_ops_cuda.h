// The operators of core/gpu/flat_ops.h on a GPU; they register themselves.
#pragma once

#include <c10/core/ScalarType.h>

namespace dasgd {

// Compiles them for the current device and tensors of type `type`, which takes a second and else happens at their first
// use. Throws c10::Error: no compiler for kernels, a device that it does not know.
void compileFlatKernels(at::ScalarType type);

}  // namespace dasgd
