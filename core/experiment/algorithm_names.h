// Names of plug-ins as the messages of a refused experiment list them.
#pragma once

#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"

namespace dasgd {

// "a, b, c"
[[nodiscard]] inline std::string listOf(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// The algorithms, with their default fields, that have this interface of core/algorithms/extensions.h.
template <class Interface>
[[nodiscard]] std::string algorithmsWith() {
    std::vector<std::string> names;
    for (const auto& [name, entry] : AlgorithmRegistry::entries()) {
        const auto made = entry.create(Value(Value::Table{}), {});
        if (made && dynamic_cast<const Interface*>(made->get())) names.push_back(name);
    }
    return listOf(names);
}

}  // namespace dasgd
