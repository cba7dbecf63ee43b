// The settings of many recorded configurations: runs of a sweep differ in few of their tables, and the others are read
// once. One thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/configuration.h"

namespace dasgd {

class SettingsReader {
public:
    // As settingsOf(toml).
    [[nodiscard]] Settings read(const std::string& toml);
    [[nodiscard]] std::size_t tablesRead() const { return read_; }

private:
    // Of the text from one header to the next; null: it is no TOML of its own.
    const Settings* table(std::string_view text);
    std::optional<Settings> readTables(std::string_view toml);

    std::map<std::string, std::optional<Settings>, std::less<>> tables_;
    std::size_t read_ = 0;
};

}  // namespace dasgd
