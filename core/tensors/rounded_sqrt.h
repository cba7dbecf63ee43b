// Square roots that are the same on every processor.
#pragma once

#include <ATen/core/Tensor.h>

namespace dasgd {

// tensor ← √tensor, each rounded to the nearest number, as IEEE 754 says. at::sqrt of float32 and float64 on the CPU is
// MKL's, of which the last bit depends on the processor. Other types and devices are left to at::sqrt.
void takeRoot(at::Tensor& tensor);

}  // namespace dasgd
