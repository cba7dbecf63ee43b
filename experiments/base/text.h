// Text for people and for other programs: names come from files and the network's users, so nothing of them may steer
// a terminal, a spreadsheet or a table.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text/printable.h"

namespace dasgd::experiments {

// Applies printable() to each line of the text and joins the lines with `between`.
[[nodiscard]] std::string printableLines(std::string_view text, std::string_view between);
// A line that another `dasgd` printed, without its "dasgd: ", so that it can stand in a message of this one.
[[nodiscard]] std::string printableWords(std::string_view line);

// A decimal number that is all of `text`; nullopt for anything else.
[[nodiscard]] std::optional<std::int64_t> decimalOf(std::string_view text);

// One line without a line break; broken UTF-8 is replaced.
[[nodiscard]] std::string dumpLine(const nlohmann::json& json);

// One CSV field: quoted where needed; text that a spreadsheet would take for a formula gets a leading apostrophe.
[[nodiscard]] std::string csvText(std::string_view text);
// Shortest text that reads back to the same double; nan, inf and -inf as such.
[[nodiscard]] std::string csvNumber(double value);

// A number for a table: three or four significant digits; "–" for none.
[[nodiscard]] std::string shortNumber(std::optional<double> value);
[[nodiscard]] std::string percent(std::optional<double> fraction);
[[nodiscard]] std::string duration(double seconds);  // "1 h 02 min", "3 min 20 s", "4.2 s"
// The unit follows the magnitude: "740 µs", "12.3 ms", "4.21 s".
[[nodiscard]] std::string secondsInWords(double seconds);
[[nodiscard]] std::string byteCount(double bytes);  // "12.3 MB"

// The form of a report's text: for a terminal, or Markdown of GitHub's kind for documents and the window.
enum class Markup : std::uint8_t { Terminal, Markdown };

// Words that Markdown must not read as markup, such as names. For a terminal they stay as they are.
[[nodiscard]] std::string plainWords(std::string_view words, Markup markup);
// A line that is not joined with the next one; TOML as itself.
[[nodiscard]] std::string ownLine(std::string_view words, Markup markup);
[[nodiscard]] std::string tomlBlock(const std::string& toml, Markup markup);

// Columns aligned by what is seen; the first column left, the others right.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    void leftAlign(std::size_t column) { left_.push_back(column); }
    [[nodiscard]] std::string toString(Markup markup = Markup::Terminal) const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> left_{0};
};

}  // namespace dasgd::experiments
