// Settings of many recorded configurations: runs of a sweep differ in few of their tables, and each of the others is
// parsed once. One thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/runs/configuration.h"

namespace dasgd {

class SettingsReader {
public:
    // Returns settingsOf(toml).
    [[nodiscard]] Settings read(const std::string& toml);
    [[nodiscard]] std::size_t tablesRead() const { return read_; }

private:
    // Settings in the text from one header to the next; null where that is no valid TOML of its own.
    const Settings* table(std::string_view text);
    std::optional<Settings> readTables(std::string_view toml);

    std::map<std::string, std::optional<Settings>, std::less<>> tables_;
    std::size_t read_ = 0;
};

}  // namespace dasgd
