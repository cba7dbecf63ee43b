// The operators that the code of a TorchScript file may use: a list of what is allowed, so that an operator that a
// later LibTorch brings is refused until somebody has looked at it.
#pragma once

#include <string>
#include <unordered_set>

namespace dasgd {

// Names have their namespace and no overload: "aten::matmul". Any thread.
[[nodiscard]] const std::unordered_set<std::string>& allowedOperators();
[[nodiscard]] inline bool isAllowedOperator(const std::string& name) { return allowedOperators().contains(name); }

}  // namespace dasgd
