// Dropout (Srivastava et al., JMLR 15, 2014) from a rank's own random stream. torch::nn::Dropout draws from LibTorch's
// default generator: there is one for each process, seeded alike in every process, and all ranks of a process draw from
// it.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/ops/empty_like.h>
#include <torch/nn/module.h>

#include <string>
#include <utility>

#include "core/base/schema/fields.h"

namespace dasgd {

// Field for the share of values that a model drops. `help` says which values, and where.
[[nodiscard]] inline FieldSpec dropoutField(std::string help) {
    return {.min = 0, .max = 1, .maxOpen = true, .help = std::move(help)};
}

class Dropout final : public torch::nn::Module {
public:
    // Each element is zero with probability `share` (below 1), and multiplied by 1 / (1 − share) otherwise.
    Dropout(double share, at::Generator random) : share_(share), random_(std::move(random)) {}

    // Returns the input itself in evaluation mode.
    at::Tensor forward(const at::Tensor& x) {
        if (!is_training() || share_ == 0) return x;
        const double kept = 1 - share_;
        return x * at::empty_like(x).bernoulli_(kept, random_).div_(kept);
    }

private:
    double share_;
    at::Generator random_;
};

}  // namespace dasgd
