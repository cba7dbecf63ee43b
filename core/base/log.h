// Log messages of a process: lines on stderr for people, or lines of a rank's log file. The only user of spdlog. Not
// for the training thread: a line is a system call.
#pragma once

#include <optional>
#include <string>

namespace dasgd {

enum class LogLevel { Info, Warning, Error };

// From now on lines go to stderr as "PROGRAM: text". Before either function is called, as "dasgd: text".
void logToTerminal(const std::string& program);
// From now on lines go to stdout, which the launcher has opened as a log file, as
// "2026-11-22 04:56:30.123 error rank 3: text"; the level is info, warning or error.
void logAsRanks();

// One message; what would steer a terminal in it becomes visible escapes (printable.h), line breaks stay. `rank`: whom
// it is about, where that is one rank. Thread-safe.
void logLine(LogLevel level, const std::string& text, std::optional<int> rank = std::nullopt);

}  // namespace dasgd
