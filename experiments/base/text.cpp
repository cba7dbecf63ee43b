#include "experiments/base/text.h"

#include <algorithm>
#include <cctype>
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

std::optional<std::int64_t> decimalOf(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
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

std::string secondsInWords(double seconds) {
    if (seconds == 0) return "0 s";
    struct Unit {
        double seconds;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}};
    const Unit* unit = std::begin(kUnits);
    while (std::fabs(seconds) < unit->seconds && unit + 1 < std::end(kUnits)) ++unit;
    const double number = seconds / unit->seconds;
    return formatted(std::fabs(number) < 10 ? "%.2f" : std::fabs(number) < 100 ? "%.1f" : "%.0f", number) + unit->name;
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

std::string plainWords(std::string_view words, Markup markup) {
    if (markup == Markup::Terminal) return std::string(words);
    const auto isWord = [&](std::size_t at) {
        return at < words.size() && std::isalnum(static_cast<unsigned char>(words[at])) != 0;
    };
    std::string escaped;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const char c = words[i];
        // An underscore within a word is itself: "sync_sgd".
        const bool isMarkup = c == '_' ? i == 0 || !isWord(i - 1) || !isWord(i + 1)
                                       : std::string_view("\\`*[]<>|~").find(c) != std::string_view::npos;
        if (isMarkup) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string ownLine(std::string_view words, Markup markup) {
    return plainWords(words, markup) + (markup == Markup::Markdown ? "\n\n" : "\n");
}

std::string tomlBlock(const std::string& toml, Markup markup) {
    return markup == Markup::Markdown ? "```toml\n" + toml + "```\n" : toml;
}

std::string TextTable::toString(Markup markup) const {
    std::vector<std::vector<std::string>> rows = rows_;
    std::vector<std::size_t> width;
    const bool isMarkdown = markup == Markup::Markdown;
    for (auto& row : rows) {
        if (isMarkdown) row.resize(rows_.front().size());
        width.resize(std::max(width.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) {
            row[c] = plainWords(row[c], markup);
            width[c] = std::max(width[c], seenWidth(row[c]));
        }
    }
    const auto isLeft = [&](std::size_t column) { return std::ranges::find(left_, column) != left_.end(); };
    if (isMarkdown) {
        std::vector<std::string> rule;
        for (std::size_t c = 0; c < width.size(); ++c) {
            width[c] = std::max<std::size_t>(width[c], 3);
            rule.push_back(isLeft(c) ? ":" + std::string(width[c] - 1, '-') : std::string(width[c] - 1, '-') + ":");
        }
        rows.insert(rows.begin() + 1, std::move(rule));
    }
    // Markdown's tables stand between empty lines.
    std::string out = isMarkdown ? "\n" : "";
    for (const auto& row : rows) {
        std::string line = isMarkdown ? "| " : "";
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(width[c] - seenWidth(row[c]), ' ');
            line += (c == 0 ? "" : isMarkdown ? " | " : "  ") + (isLeft(c) ? row[c] + pad : pad + row[c]);
        }
        if (!isMarkdown) line.erase(line.find_last_not_of(' ') + 1);
        out += line + (isMarkdown ? " |\n" : "\n");
    }
    return out + (isMarkdown ? "\n" : "");
}

}  // namespace dasgd::experiments
