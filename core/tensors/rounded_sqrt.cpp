#include "core/tensors/rounded_sqrt.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>

namespace dasgd {

namespace {

template <class T>
void takeRoots(T* numbers, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) numbers[i] = std::sqrt(numbers[i]);
}

}  // namespace

void takeRoot(at::Tensor& tensor) {
    if (!tensor.is_cpu() || !tensor.is_contiguous()) {
        tensor.sqrt_();
    } else if (tensor.scalar_type() == at::kFloat) {
        takeRoots(tensor.mutable_data_ptr<float>(), tensor.numel());
    } else if (tensor.scalar_type() == at::kDouble) {
        takeRoots(tensor.mutable_data_ptr<double>(), tensor.numel());
    } else {
        tensor.sqrt_();
    }
}

}  // namespace dasgd
