#include "experiments/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace dasgd::experiments {

namespace {

std::string formatted(const char* format, double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

std::size_t seenWidth(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string printableLines(std::string_view text, std::string_view between) {
    std::string out;
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
        out += printable(text.substr(0, end)).append(between);
    }
    return out + printable(text);
}

std::string printableWords(std::string_view line) {
    constexpr std::string_view kSpeaker = "dasgd: ";
    if (line.starts_with(kSpeaker)) line.remove_prefix(kSpeaker.size());
    return printable(line);
}

std::string dumpLine(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csvText(std::string_view text) {
    std::string field(text);
    if (!field.empty() && std::string_view("=+-@\t\r").find(field[0]) != std::string_view::npos) field.insert(0, "'");
    if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string csvNumber(double value) {
    if (std::isnan(value)) return "nan";
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

std::string shortNumber(std::optional<double> value) {
    if (!value || std::isnan(*value)) return value ? "nan" : "–";
    const double size = std::fabs(*value);
    if (size == 0) return "0";
    if (size >= 1e6 || (size > 0 && size < 1e-3)) return formatted("%.3g", *value);
    return formatted(size >= 1000  ? "%.0f"
                     : size >= 100 ? "%.1f"
                     : size >= 10  ? "%.2f"
                     : size >= 1   ? "%.3f"
                                   : "%.4f",
                     *value);
}

std::string percent(std::optional<double> fraction) {
    return fraction && std::isfinite(*fraction) ? formatted("%.1f %%", *fraction * 100) : "–";
}

std::string duration(double seconds) {
    if (!(seconds >= 0)) return "–";
    if (seconds < 60) return formatted(seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    const auto whole = std::llround(seconds);
    char buffer[64];
    if (whole < 3600) {
        std::snprintf(buffer, sizeof buffer, "%lld min %02lld s", whole / 60, whole % 60);
    } else {
        std::snprintf(buffer, sizeof buffer, "%lld h %02lld min", whole / 3600, whole % 3600 / 60);
    }
    return buffer;
}

std::string byteCount(double bytes) {
    constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    while (bytes >= 1000 && unit + 1 < std::size(units)) {
        bytes /= 1000;
        ++unit;
    }
    return formatted(unit == 0 ? "%.0f " : "%.1f ", bytes) + units[unit];
}

std::string TextTable::toString() const {
    std::vector<std::size_t> width;
    for (const auto& row : rows_) {
        width.resize(std::max(width.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], seenWidth(row[c]));
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(width[c] - seenWidth(row[c]), ' ');
            const bool left = std::find(left_.begin(), left_.end(), c) != left_.end();
            line += (c ? "  " : "") + (left ? row[c] + pad : pad + row[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

}  // namespace dasgd::experiments
