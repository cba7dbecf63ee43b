// TorchScript modules as torch.jit.script makes them, without Python.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace dasgd::test {

// A module with these parameters, these whole numbers as attributes and this body of forward(self, x).
inline torch::jit::Module scriptOf(const std::vector<std::pair<std::string, at::Tensor>>& parameters,
                                   const std::string& forward,
                                   const std::vector<std::pair<std::string, std::int64_t>>& counters = {}) {
    torch::jit::Module script("__torch__.Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    for (const auto& [name, value] : parameters) {
        script.register_parameter(name, value.clone().set_requires_grad(value.is_floating_point()), false);
    }
    for (const auto& [name, value] : counters) script.register_attribute(name, c10::IntType::get(), value);
    script.define("def forward(self, x):\n" + forward);
    return script;
}

}  // namespace dasgd::test
