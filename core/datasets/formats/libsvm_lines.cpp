#include "core/datasets/formats/libsvm_lines.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/text/printable.h"

namespace dasgd {

namespace {

constexpr std::string_view kBlanks = " \t\r";

// An error at position `at` of a line.
struct LineError {
    std::size_t at = 0;
    std::string message;
    bool damaged = true;  // false: the line is in order, but has an index above the limit
};

template <class Number>
bool parsesWhole(std::string_view word, Number& number) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
    if (parsed.ptr != word.data() + word.size() || word.empty()) return false;
    if (parsed.ec == std::errc()) return true;
    if constexpr (std::is_floating_point_v<Number>) {
        // from_chars leaves numbers alone that are too large or too small for the type, as 1e400 and 1e-400.
        if (parsed.ec != std::errc::result_out_of_range) return false;
        number = std::strtod(std::string(word).c_str(), nullptr);
        return true;
    }
    return false;
}

// Reason why a word is no number in float32; "" where it is one.
std::string problemOf(std::string_view word, double& number) {
    const std::string found = "'" + excerpt(word) + "', which is ";
    if (!parsesWhole(word, number) || std::isnan(number)) return found + "no number";
    if (std::isfinite(static_cast<float>(number))) return "";
    return found + "not finite in float32 (at most 3.4e38); divide these numbers by a constant";
}

// Reads one line word by word into `rows`; the caller removes what a damaged line left there.
class LineParser {
public:
    LineParser(std::string_view line, std::int64_t maxIndex, SparseRows& rows)
        : line_(line.substr(0, line.find('#'))), maxIndex_(maxIndex), rows_(rows) {}

    [[nodiscard]] bool isEmpty() const { return line_.find_first_not_of(kBlanks) == std::string_view::npos; }

    tl::expected<void, LineError> parse() {
        const std::string_view target = nextWord();
        double value = 0;
        if (const std::string problem = problemOf(target, value); !problem.empty()) {
            return complain("the target is " + problem);
        }
        rows_.targets.push_back(value);
        std::int64_t before = -1;
        std::string_view word = nextWord();
        if (std::int64_t query = 0; word.starts_with("qid:") && parsesWhole(word.substr(4), query)) word = nextWord();
        for (; !word.empty(); word = nextWord()) {
            if (auto added = addEntry(word, before); !added) return added;
        }
        if (beyond_) return tl::unexpected(*beyond_);
        return {};
    }

private:
    std::string_view nextWord() {
        const std::size_t begin = line_.find_first_not_of(kBlanks, end_);
        if (begin == std::string_view::npos) return {};
        end_ = std::min(line_.find_first_of(kBlanks, begin), line_.size());
        begin_ = begin;
        return line_.substr(begin, end_ - begin);
    }

    tl::expected<void, LineError> addEntry(std::string_view word, std::int64_t& before) {
        const std::size_t colon = word.find(':');
        std::int64_t index = 0;
        double value = 0;
        if (colon == std::string_view::npos || !parsesWhole(word.substr(0, colon), index)) {
            return complain("found '" + excerpt(word) + "' where index:value is expected");
        }
        if (index < 0) return complain("the index is " + std::to_string(index) + "; indices begin with 0 or 1");
        if (index > kMaxLibsvmFeatures) return complain(tooWide(index) + "at most " + mostFeatures() + " are possible");
        if (index > maxIndex_ && !beyond_) {
            beyond_ = LineError{begin_,
                                tooWide(index) + "above " + std::to_string(maxIndex_) +
                                    " set features in [data] to the width that is meant, at most " + mostFeatures() +
                                    ", or correct the line",
                                false};
        }
        if (index <= before) {
            return complain("index " + std::to_string(index) + " follows " + std::to_string(before) +
                            "; indices of a line must ascend");
        }
        if (const std::string problem = problemOf(word.substr(colon + 1), value); !problem.empty()) {
            return complain("the value of index " + std::to_string(index) + " is " + problem);
        }
        before = index;
        rows_.columns.push_back(static_cast<std::int32_t>(index));
        rows_.values.push_back(static_cast<float>(value));
        return {};
    }

    tl::unexpected<LineError> complain(std::string message) const {
        return tl::unexpected(LineError{begin_, std::move(message)});
    }

    static std::string tooWide(std::int64_t index) {
        return "index " + std::to_string(index) + " would make each sample as many values wide; ";
    }
    static std::string mostFeatures() { return std::to_string(kMaxLibsvmFeatures); }

    std::string_view line_;
    std::int64_t maxIndex_;
    SparseRows& rows_;
    std::size_t begin_ = 0, end_ = 0;
    std::optional<LineError> beyond_;  // for the first index above the limit
};

void takeBack(SparseRows& rows, std::size_t samples) {
    rows.targets.resize(samples);
    rows.columns.resize(rows.starts.back());
    rows.values.resize(rows.starts.back());
}

}  // namespace

Result<SparseRows> parseLibsvm(std::string_view text, const std::string& name, bool skipsDamage,
                               std::int64_t maxIndex) {
    DASGD_CHECK(maxIndex <= kMaxLibsvmFeatures);
    if (constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    SparseRows rows;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        const std::string_view whole = text.substr(0, length);
        LineParser line(whole, maxIndex, rows);
        text.remove_prefix(std::min(length + 1, text.size()));
        ++number;
        if (line.isEmpty()) continue;
        const std::size_t samples = rows.targets.size();
        if (const auto parsed = line.parse(); !parsed) {
            const std::string problem = name + ":" + std::to_string(number) + ":" +
                                        std::to_string(parsed.error().at + 1) + ": " + parsed.error().message;
            if (!parsed.error().damaged) return fail(problem);
            if (!skipsDamage) return fail(problem + ". Correct the line, or set on_damage = \"skip\"");
            takeBack(rows, samples);
            if (++rows.skipped == 1) rows.firstSkipped = problem;
            continue;
        }
        const bool hasEntries = rows.columns.size() > rows.starts.back();
        if (hasEntries && rows.columns[rows.starts.back()] == 0) rows.fromZero = true;
        if (hasEntries && rows.columns.back() > rows.largestIndex) {
            rows.largestIndex = rows.columns.back();
            // Indices rise within a line, so that it is the last word with a colon; a comment may follow.
            const std::size_t colon = whole.substr(0, whole.find('#')).rfind(':');
            const std::size_t before = whole.find_last_of(" \t", colon);
            rows.widest = name + ":" + std::to_string(number) + ":" + std::to_string(before + 2);
        }
        rows.starts.push_back(rows.columns.size());
    }
    if (rows.targets.empty())
        return fail(name +
                    ": it holds no line of LIBSVM's format, target index:value …: name a file of such lines in [data]");
    return rows;
}

}  // namespace dasgd
