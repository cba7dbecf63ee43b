// The settings of a run in compact form: runs with the same keys share the list of keys, so that 10,000 runs store only
// their values, and a key is looked up once for all of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"

namespace dasgd::gui {

class RunSettings {
public:
    using Keys = std::vector<std::string>;  // sorted

    RunSettings() = default;
    RunSettings(std::shared_ptr<const Keys> keys, std::vector<std::string> values)
        : keys_(std::move(keys)), values_(std::move(values)) {}

    // Null for a run without settings.
    [[nodiscard]] const std::shared_ptr<const Keys>& keys() const { return keys_; }
    // Null if the run lacks the key.
    [[nodiscard]] const std::string* find(const std::string& key) const;
    // Index of a key; valid for every run with the same list of keys.
    [[nodiscard]] std::optional<std::size_t> placeOf(const std::string& key) const;
    [[nodiscard]] const std::string& at(std::size_t place) const { return values_[place]; }
    // All settings as a map.
    [[nodiscard]] Settings unpacked() const;

private:
    std::shared_ptr<const Keys> keys_;
    std::vector<std::string> values_;  // in the order of the keys
};

// Packs the settings of many runs. One thread at a time.
class SettingsPool {
public:
    [[nodiscard]] RunSettings pack(const Settings& settings);

private:
    std::map<std::vector<std::string>, std::shared_ptr<const RunSettings::Keys>> lists_;
};

}  // namespace dasgd::gui
