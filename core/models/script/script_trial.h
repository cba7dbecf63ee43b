// Trial of a TorchScript network before training. Networks that would train, but not as their author means, are refused
// with what to change in Python.
#pragma once

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/models/model.h"

namespace dasgd {

// Prepares a script that was just read: makes tied parameters one tensor, which a file holds once for each module that
// has it, and converts floating-point parameters and buffers to `type`. Errors, which name `path`: memory shared in
// another way, trained tensors that are no parameters, parameters that cannot be trained, none at all.
[[nodiscard]] Status prepareScript(const std::string& path, const torch::jit::Module& script, at::ScalarType type);

// The difference between a buffer of these sizes and this type and `value`, which forward assigned to it; "" where it
// is none. A buffer keeps shape and type, because it is averaged over the ranks, saved and restored as it is
// registered.
[[nodiscard]] std::string changeOfBuffer(const std::string& name, const std::vector<std::int64_t>& sizes,
                                         at::ScalarType type, const at::Tensor& value);

struct ScriptTrial {
    std::string path;  // name of the file, for errors
    InputSpec input;
    at::ScalarType type = at::kFloat;  // the run's type
    bool drawsRandomNumbers = false;   // the network draws random numbers in training; set by run()
    // True where it has been run on this script before: then only the result is needed, from two forward passes.
    bool repeated = false;

    // Makes steps and evaluations with batches of several sizes on `copy`, a prepared script that must not be used
    // afterwards: gradients and statistics stay behind. Errors: a mode that forward does not follow, another shape than
    // the data need, probabilities in place of what the loss takes, changed inputs, parameters without a gradient,
    // state that is neither averaged nor saved, what TorchScript throws.
    [[nodiscard]] Status run(torch::jit::Module copy);
};

}  // namespace dasgd
