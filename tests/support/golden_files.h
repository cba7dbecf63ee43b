// Golden trajectories: tests/golden/<name>.json has the settings of a run and what it recorded when the file was
// written. `core_algorithms_test --write-goldens` writes the files that are missing; one that is to change is deleted
// first.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/document.h"
#include "tests/support/paths.h"

namespace dasgd::test {

inline nlohmann::json jsonOf(const Value& value) {
    if (const auto* whole = value.as<std::int64_t>()) return *whole;
    if (const auto* real = value.as<double>()) return *real;
    if (const auto* truth = value.as<bool>()) return *truth;
    if (const auto* words = value.as<std::string>()) return *words;
    nlohmann::json all = nlohmann::json::array();
    for (const Value& item : *value.as<Value::Array>()) all.push_back(jsonOf(item));
    return all;
}
inline nlohmann::json jsonOf(const Fields& fields) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, value] : fields) all[name] = jsonOf(value);
    return all;
}

inline Value valueOf(const nlohmann::json& json) {
    if (json.is_boolean()) return Value(json.get<bool>());
    if (json.is_number_integer()) return Value(json.get<std::int64_t>());
    if (json.is_number()) return Value(json.get<double>());
    if (json.is_string()) return Value(json.get<std::string>());
    Value::Array all;
    for (const nlohmann::json& item : json) all.push_back(valueOf(item));
    return Value(std::move(all));
}
// The table `part` of the settings; empty where there is none.
inline Value tableOf(const nlohmann::json& settings, const char* part) {
    Value all = table({});
    if (!settings.contains(part)) return all;
    for (const auto& [name, value] : settings[part].items()) all.set(name, valueOf(value));
    return all;
}

// Expects that a run of the file's settings, which are `settings` in a file that is written now, is the recorded one.
// `run` answers what it records. `indent` of the file; -1: it is one line.
inline void expectGolden(const std::string& name, const nlohmann::json& settings,
                         const std::function<nlohmann::json(const nlohmann::json& settings)>& run, int indent = 1) {
    const std::filesystem::path file = std::filesystem::path(kSourceDir) / "tests" / "golden" / (name + ".json");
    const bool isThere = std::filesystem::exists(file);
    nlohmann::json recorded = settings;
    if (isThere) {
        std::ifstream stream(file);
        recorded = nlohmann::json::parse(stream);
    }
    if (settings.contains("algorithm")) {
        EXPECT_EQ(recorded["algorithm"], settings["algorithm"]) << file;
    }
    nlohmann::json present = run(recorded);
    for (const auto& [part, value] : settings.items()) {
        if (recorded.contains(part)) present[part] = recorded[part];
    }
    if (!isThere && std::getenv("DASGD_WRITE_GOLDENS")) {
        std::ofstream(file) << present.dump(indent) << "\n";
        return;
    }
    ASSERT_TRUE(isThere) << file << " is missing: `core_algorithms_test --write-goldens` writes it";
    EXPECT_EQ(present, recorded) << "to the last bit: numbers are written with as many digits as it takes";
}

}  // namespace dasgd::test
