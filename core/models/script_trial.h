// Whether a TorchScript network can be trained here. What would train, but not what its author means, is refused with
// what to change in Python.
#pragma once

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

#include <exception>
#include <string>

#include "core/base/result.h"
#include "core/models/model.h"

namespace dasgd {

// The line of a TorchScript error that tells what went wrong; those around it are a traceback.
[[nodiscard]] std::string reasonOf(const std::exception& error);

// Of a file just read: makes parameters that are tied one tensor, which a file holds once for each module that has it,
// and floating-point parameters and buffers those of `type`. Errors, which name `path`: memory shared in another way,
// trained tensors that are no parameters, parameters that cannot be trained, none at all.
[[nodiscard]] Status prepareScript(const std::string& path, const torch::jit::Module& script, at::ScalarType type);

struct ScriptTrial {
    std::string path;  // for errors
    InputSpec input;
    at::ScalarType type = at::kFloat;  // of the run
    bool drawsRandomNumbers = false;   // in training; found by run()
    // Whether it has been run on this script: then only what it finds is looked for, in two passes forward.
    bool repeated = false;

    // Steps and evaluations of batches of several sizes with `copy`, a prepared script that is of no use afterwards:
    // gradients and statistics stay behind. Errors: a mode that forward does not follow, another shape than the data
    // ask for, probabilities in place of what the loss takes, changed inputs, parameters without a gradient, what
    // TorchScript throws.
    [[nodiscard]] Status run(torch::jit::Module copy);
};

}  // namespace dasgd
