#include "core/analysis/runs/configuration.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/schema/toml_reader.h"

namespace dasgd {

namespace {

constexpr std::string_view kAlgorithmKey = "algorithm.name";
constexpr std::size_t kLongestValue = 40;

void flatten(const Value& table, const std::string& prefix, Settings& out) {
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        if (value.isTable()) {
            flatten(value, prefix + key + ".", out);
        } else {
            out[prefix + key] = value.as<std::string>() ? *value.as<std::string>() : value.toToml();
        }
    }
}

std::string valueIn(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
}

// The plug-in that the section of `key` names; "" where the section has none.
std::string pluginOf(const Settings& settings, const std::string& key) {
    return valueIn(settings, key.substr(0, key.find('.')) + ".name");
}

// True where `key` has more than one value among configurations of one plug-in.
bool differs(const std::vector<Settings>& all, const std::string& key) {
    std::map<std::string, std::set<std::pair<bool, std::string>>> values;
    const bool isPlugin = key.ends_with(".name") && std::count(key.begin(), key.end(), '.') == 1;
    for (const Settings& settings : all) {
        values[isPlugin ? "" : pluginOf(settings, key)].emplace(settings.contains(key), valueIn(settings, key));
    }
    return std::ranges::any_of(values, [](const auto& ofPlugin) { return ofPlugin.second.size() > 1; });
}

// Numbers for long values: a matrix says less in a label than which of the matrices it is.
class ValueNumbers {
public:
    std::string shown(const std::string& key, const std::string& value) {
        if (value.size() <= kLongestValue) return value;
        auto& known = known_[key];
        const auto found = std::find(known.begin(), known.end(), value);
        const auto index = found - known.begin();
        if (found == known.end()) known.push_back(value);
        return std::string(1, '#').append(std::to_string(index + 1));
    }

private:
    std::map<std::string, std::vector<std::string>> known_;
};

std::string shortKey(const std::string& key) {
    constexpr std::string_view kOwn = "algorithm.";
    return key.starts_with(kOwn) ? key.substr(kOwn.size()) : key;
}

}  // namespace

Settings settingsOf(const Value& table) {
    Settings settings;
    flatten(table, "", settings);
    return settings;
}

Settings settingsOf(const std::string& toml) {
    const auto document = parseToml(toml, "config");
    return document ? settingsOf(*document) : Settings{};
}

const std::set<std::string>& seedKeys() {
    static const std::set<std::string> kKeys{"train.seed", "compute.seed", "faults.seed", "network.background.seed"};
    return kKeys;
}

bool choosesOnValidation(const Settings& settings) {
    return std::strtod(valueIn(settings, "data.validation").c_str(), nullptr) > 0;
}

Settings configurationOf(Settings settings) {
    settings.erase("name");
    for (const std::string& key : seedKeys()) settings.erase(key);
    return settings;
}

std::string configurationKey(const Settings& settings) {
    std::string identity;
    for (const auto& [key, value] : configurationOf(settings)) identity.append(key).append("=").append(value) += '\n';
    return identity;
}

std::string seedsOf(const Settings& settings) {
    std::string seeds;
    for (const std::string& key : seedKeys()) {
        if (settings.contains(key)) seeds.append(key).append("=").append(valueIn(settings, key)) += ' ';
    }
    return seeds;
}

std::vector<Settings> differencesOf(const std::vector<Settings>& all, const std::set<std::string>& apart) {
    std::vector<Settings> configurations;
    std::set<std::string> keys;
    for (const Settings& settings : all) {
        configurations.push_back(configurationOf(settings));
        for (const auto& [key, value] : configurations.back()) {
            if (key != kAlgorithmKey && !apart.contains(key)) keys.insert(key);
        }
    }
    std::erase_if(keys, [&](const std::string& key) { return !differs(configurations, key); });
    ValueNumbers numbers;
    std::vector<Settings> differences(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const std::string& key : keys) {
            const auto found = configurations[i].find(key);
            if (found != configurations[i].end()) differences[i][key] = numbers.shown(key, found->second);
        }
    }
    return differences;
}

std::vector<std::string> labelConfigurations(const std::vector<Settings>& all) {
    const std::vector<Settings> differences = differencesOf(all);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string label = valueIn(all[i], std::string(kAlgorithmKey));
        for (const auto& [key, value] : differences[i]) label.append(" ").append(shortKey(key)).append("=") += value;
        const auto taken = std::count_if(labels.begin(), labels.end(), [&](const std::string& other) {
            return other == label || other.starts_with(label + " #");
        });
        labels.push_back(taken > 0 ? (label + " #").append(std::to_string(taken + 1)) : label);
    }
    return labels;
}

}  // namespace dasgd
