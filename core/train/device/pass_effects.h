// Side effects of a model's passes, gradients excepted: buffers of its module, and the state of its generator.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

namespace dasgd {

// Undoes the effects since its construction. Module and generator outlive it.
class PassEffects {
public:
    // `random` may be undefined: then the model draws nothing.
    PassEffects(torch::nn::Module& module, at::Generator& random);
    // Throws what LibTorch throws, errors of the device in earlier work among it.
    void undo();

private:
    std::vector<at::Tensor> buffers_, values_;
    at::Generator& random_;
    at::Tensor drawn_;
};

}  // namespace dasgd
