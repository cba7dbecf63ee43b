// The algorithms that train, in settings for short runs.
#pragma once

#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "tests/support/document.h"

namespace dasgd::test {

// The algorithm with averages as often as a short run wants them.
inline Value often(const std::string& name) {
    Value algorithm = table({{"name", text(name)}});
    for (const FieldInfo& field : AlgorithmRegistry::find(name)->fields) {
        if (field.name == "period") algorithm.set("period", integer(4));
        if (field.name == "share") algorithm.set("share", number(0.4));
        if (field.name == "interval") algorithm.set("interval", integer(1));
        // With a larger bound the result depends on who comes first.
        if (field.name == "staleness") algorithm.set("staleness", integer(0));
    }
    return algorithm;
}

inline std::vector<std::string> trainingAlgorithms() {
    std::vector<std::string> names;
    for (const std::string& name : AlgorithmRegistry::names()) {
        const auto algorithm = AlgorithmRegistry::find(name)->create(Value(Value::Table{}), {});
        if (name != "probe" && !(*algorithm)->isTimeOnly()) names.push_back(name);
    }
    return names;
}

}  // namespace dasgd::test
