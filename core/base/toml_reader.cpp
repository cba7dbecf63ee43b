#include "core/base/toml_reader.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "core/base/check.h"

namespace dasgd {

namespace {

using Source = std::shared_ptr<const std::string>;

SourcePosition placeOf(const toml::source_region& region, const Source& source) {
    return {source, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

// Bounds nesting before the parser sees the text: it builds and frees its tables by recursion, so a long dotted key
// would exhaust the stack. Follows strings and comments just far enough to know where brackets and dots count.
class DepthGuard {
public:
    explicit DepthGuard(std::string_view text) : text_(text) {}

    // Position (line, column) of the first character that nests too deep, or line 0.
    std::pair<int, int> firstTooDeep() {
        while (at_ < text_.size()) {
            if (!step()) return {line_, static_cast<int>(at_ - lineStart_) + 1};
        }
        return {0, 0};
    }

private:
    bool step() {
        const char c = text_[at_];
        if (c == '"' || c == '\'') return skipString(c);
        if (c == '#') return skipTo("\n");
        if (c == '[' || c == '{') ++brackets_;
        if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
        if (c == '.') {
            ++dots_;
        } else if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) {
            dots_ = 0;
        }
        if (brackets_ > kMaxTomlDepth || dots_ >= kMaxTomlDepth) return false;
        advance(1);
        return true;
    }

    bool skipString(char quote) {
        const std::string longQuote(3, quote);
        if (text_.substr(at_, 3) == longQuote) {
            advance(3);
            return skipClosing(longQuote, quote == '"');
        }
        advance(1);
        return skipClosing(std::string_view(longQuote).substr(0, 1), quote == '"');
    }

    bool skipClosing(std::string_view closing, bool escapes) {
        while (at_ < text_.size() && text_.substr(at_, closing.size()) != closing) {
            if (closing.size() == 1 && text_[at_] == '\n') return true;  // unterminated: the parser says so
            advance(escapes && text_[at_] == '\\' ? 2 : 1);
        }
        advance(closing.size());
        return true;
    }

    bool skipTo(std::string_view stop) {
        while (at_ < text_.size() && text_.substr(at_, stop.size()) != stop) advance(1);
        return true;
    }

    void advance(std::size_t count) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            if (text_[at_] != '\n') continue;
            ++line_;
            lineStart_ = at_ + 1;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t lineStart_ = 0;
    int line_ = 1;
    int brackets_ = 0;
    int dots_ = 0;
};

Result<Value> convert(const toml::node& node, const Source& source);

Result<Value> convertTable(const toml::table& table, const Source& source) {
    struct Entry {
        SourcePosition keyPlace;
        std::string_view key;
        const toml::node* node;
    };
    std::vector<Entry> entries;
    for (const auto& [key, child] : table) entries.push_back({placeOf(key.source(), source), key.str(), &child});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.keyPlace.line, a.keyPlace.column) < std::pair(b.keyPlace.line, b.keyPlace.column);
    });
    Value::Table out;
    for (const Entry& entry : entries) {
        DASGD_ASSIGN(Value value, convert(*entry.node, source));
        value.setKeyPosition(entry.keyPlace);
        out.emplace_back(std::string(entry.key), std::move(value));
    }
    return Value(std::move(out), placeOf(table.source(), source));
}

Result<Value> convert(const toml::node& node, const Source& source) {
    const SourcePosition place = placeOf(node.source(), source);
    switch (node.type()) {
        case toml::node_type::table: return convertTable(*node.as_table(), source);
        case toml::node_type::array: {
            Value::Array items;
            for (const toml::node& child : *node.as_array()) {
                DASGD_ASSIGN(Value item, convert(child, source));
                items.push_back(std::move(item));
            }
            return Value(std::move(items), place);
        }
        case toml::node_type::string: return Value(node.as_string()->get(), place);
        case toml::node_type::integer: return Value(node.as_integer()->get(), place);
        case toml::node_type::floating_point: return Value(node.as_floating_point()->get(), place);
        case toml::node_type::boolean: return Value(node.as_boolean()->get(), place);
        default: return fail(place.prefix() + "a date or time has no meaning in an experiment; write it as a string");
    }
}

bool isBareWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || std::string_view("_-+./()%").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

// Positions inside an argument say nothing to the reader: the argument itself is quoted as the source.
void flattenPositions(Value& value, const SourcePosition& place) {
    value.setPosition(place);
    value.setKeyPosition(place);
    if (auto* items = value.as<Value::Array>()) {
        for (Value& item : *items) flattenPositions(item, place);
    }
    if (auto* table = value.as<Value::Table>()) {
        for (auto& [key, child] : *table) flattenPositions(child, place);
    }
}

}  // namespace

Result<Value> parseToml(std::string_view text, const std::string& source) {
    const Source shared = std::make_shared<const std::string>(source);
    if (text.size() > kMaxTomlBytes) {
        return fail(source + ": larger than 1 MiB; an experiment file is a page of text");
    }
    if (const auto [line, column] = DepthGuard(text).firstTooDeep(); line > 0) {
        return fail(SourcePosition{shared, line, column}.prefix() + "nested deeper than " +
                    std::to_string(kMaxTomlDepth) + " levels; no experiment needs that");
    }
    const toml::parse_result parsed = toml::parse(text, source);
    if (!parsed) {
        return fail(placeOf(parsed.error().source(), shared).prefix() + std::string(parsed.error().description()));
    }
    return convertTable(parsed.table(), shared);
}

Result<Value> readTomlFile(const std::filesystem::path& file) {
    std::error_code code;
    const auto status = std::filesystem::status(file, code);
    if (!std::filesystem::exists(status)) return fail(file.string() + ": no such experiment file");
    if (std::filesystem::is_directory(status)) return fail(file.string() + ": is a folder; name a .toml file");
    std::ifstream in(file, std::ios::binary);
    std::string text(kMaxTomlBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad()) return fail(file.string() + ": cannot be read; check its permissions");
    text.resize(static_cast<std::size_t>(in.gcount()));
    return parseToml(text, file.string());
}

Result<Value> parseArgument(std::string_view text, const std::string& source) {
    const SourcePosition place{std::make_shared<const std::string>(source), 0, 0};
    const bool oneLine = text.find('\n') == std::string_view::npos;
    Result<Value> parsed = oneLine ? parseToml("value = " + std::string(text), source)
                                   : Result<Value>(fail(place.prefix() + "a value is one line"));
    if (parsed && parsed->as<Value::Table>()->size() == 1) {
        Value value = std::move(*parsed->find("value"));
        flattenPositions(value, place);
        return value;
    }
    if (isBareWord(text)) return Value(std::string(text), place);
    return fail(place.prefix() + "'" + std::string(text) +
                "' is not a TOML value: 4, 0.5, true, \"text\", [1, 2], {a = 1} or a bare word");
}

Result<std::vector<std::string>> parseKeyPath(std::string_view text, const SourcePosition& at) {
    const bool plain = text.find_first_of("=#\n\r") == std::string_view::npos;
    const Result<Value> parsed = parseToml(std::string(text) + " = 0", "key");
    if (!plain || !parsed) {
        return fail(at.prefix() + "'" + std::string(text) + "' is not a key; write it as section.field");
    }
    std::vector<std::string> parts;
    for (const Value* node = &*parsed; node->isTable();) {
        const auto& [key, child] = node->as<Value::Table>()->front();
        parts.push_back(key);
        node = &child;
    }
    return parts;
}

}  // namespace dasgd
