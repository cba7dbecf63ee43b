#include "core/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <string_view>

#include "core/base/text/printable.h"

namespace dasgd {

namespace {

spdlog::logger terminalLogger(const std::string& program) {
    spdlog::logger made(program, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%n: %v");
    return made;
}

// One logger per process.
spdlog::logger& logger() {
    static spdlog::logger own = terminalLogger("dasgd");
    return own;
}

spdlog::level::level_enum levelOf(LogLevel level) {
    switch (level) {
        case LogLevel::Info: return spdlog::level::info;
        case LogLevel::Warning: return spdlog::level::warn;
        case LogLevel::Error: break;
    }
    return spdlog::level::err;
}

std::string printableLines(std::string_view text) {
    std::string out;
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
        out += printable(text.substr(0, end)) + '\n';
    }
    return out + printable(text);
}

}  // namespace

void logToTerminal(const std::string& program) { logger() = terminalLogger(program); }

void logAsRanks() {
    spdlog::logger made("rank", std::make_shared<spdlog::sinks::stdout_sink_mt>());
    made.set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    logger() = std::move(made);
}

void logLine(LogLevel level, const std::string& text, std::optional<int> rank) {
    logger().log(levelOf(level), printableLines(rank ? "rank " + std::to_string(*rank) + ": " + text : text));
}

}  // namespace dasgd
