// What passes of a model leave behind, gradients apart: buffers of its module, and how far its generator has drawn.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

namespace dasgd {

// Undoes them when it goes. Module and generator outlive it.
class PassEffects {
public:
    // `random` may be undefined: then the model draws nothing.
    PassEffects(torch::nn::Module& module, at::Generator& random);
    ~PassEffects();
    PassEffects(const PassEffects&) = delete;
    PassEffects& operator=(const PassEffects&) = delete;

private:
    std::vector<at::Tensor> buffers_, values_;
    at::Generator& random_;
    at::Tensor drawn_;
};

}  // namespace dasgd
