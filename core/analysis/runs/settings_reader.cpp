#include "core/analysis/runs/settings_reader.h"

#include "core/base/schema/toml_reader.h"

namespace dasgd {

namespace {

constexpr std::size_t kMostTables = 4096;  // some megabytes

}  // namespace

const Settings* SettingsReader::table(std::string_view text) {
    auto found = tables_.find(text);
    if (found == tables_.end()) {
        ++read_;
        std::optional<Settings> settings;
        if (const auto document = parseToml(text, "config")) settings = settingsOf(*document);
        found = tables_.emplace(text, std::move(settings)).first;
    }
    return found->second ? &*found->second : nullptr;
}

std::optional<Settings> SettingsReader::readTables(std::string_view toml) {
    Settings settings;
    while (!toml.empty()) {
        // Inside a value of several lines this may be no header: then neither part is valid TOML.
        const std::size_t end = toml.find("\n[");
        const std::string_view part = toml.substr(0, end == std::string_view::npos ? end : end + 1);
        // Tables of an array are no settings of their own.
        if (part.starts_with("[[")) return std::nullopt;
        const Settings* own = table(part);
        if (own == nullptr) return std::nullopt;
        for (const auto& [key, value] : *own) {
            if (!settings.emplace(key, value).second) return std::nullopt;
        }
        toml.remove_prefix(part.size());
    }
    return settings;
}

Settings SettingsReader::read(const std::string& toml) {
    if (tables_.size() > kMostTables) tables_.clear();
    auto settings = readTables(toml);
    return settings ? *std::move(settings) : settingsOf(toml);
}

}  // namespace dasgd
