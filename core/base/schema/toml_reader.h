// TOML text into a Value tree, every value and key with its position. The only file that includes the TOML library's
// interface.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd {

inline constexpr std::size_t kMaxTomlBytes = 1 << 20;
inline constexpr int kMaxTomlDepth = 24;  // open brackets, and parts of one dotted key

// Errors begin with "source:line:column: ": syntax, a key given twice, dates (nothing here takes one), nesting or size
// beyond the limits. Tables keep the order of the source.
[[nodiscard]] Result<Value> parseToml(std::string_view text, const std::string& source);

// Parses a file, or a pipe that this process was given open, as parseToml() does. Errors: missing, unreadable, a
// folder, a FIFO or a device by its name, too large.
[[nodiscard]] Result<Value> readTomlFile(const std::filesystem::path& file);

// Parses one value as it stands in an argument of the command line: TOML, or a bare word (letters, digits and
// _-+./()%), which is taken as a string, since a shell removes quotes. Every part has the position `source`.
[[nodiscard]] Result<Value> parseArgument(std::string_view text, const std::string& source);

// Splits "algorithm.period" into its parts; parts may be quoted as in TOML.
[[nodiscard]] Result<std::vector<std::string>> parseKeyPath(std::string_view text, const SourcePosition& at);

}  // namespace dasgd
