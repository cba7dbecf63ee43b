#include "core/base/schema/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

bool isBareKey(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

std::string tomlString(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            constexpr char hex[] = "0123456789ABCDEF";
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string keyText(std::string_view key) { return isBareKey(key) ? std::string(key) : tomlString(key); }

std::string floatText(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

struct ToToml {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return floatText(v); }
    std::string operator()(const std::string& v) const { return tomlString(v); }
    std::string operator()(const Value::Array& items) const {
        std::string out = "[";
        for (const Value& item : items) {
            if (out.size() > 1) out += ", ";
            out += item.toToml();
        }
        return out + "]";
    }
    std::string operator()(const Value::Table& table) const {
        if (table.empty()) return "{}";
        std::string out = "{ ";
        for (const auto& [key, value] : table) {
            if (out.size() > 2) out += ", ";
            out += keyText(key) + " = " + value.toToml();
        }
        return out + " }";
    }
};

void writeTable(const Value& table, const std::string& path, std::string& out) {
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        if (!value.isTable()) out += keyText(key) + " = " + value.toToml() + "\n";
    }
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        if (!value.isTable()) continue;
        const std::string childPath = path.empty() ? keyText(key) : path + "." + keyText(key);
        out += "\n[" + childPath + "]\n";
        writeTable(value, childPath, out);
    }
}

}  // namespace

std::string SourcePosition::prefix() const {
    if (!source) return "";
    if (line == 0) return *source + ": ";
    return *source + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

const Value* Value::find(std::string_view key) const {
    const auto* table = as<Table>();
    DASGD_CHECK(table);
    for (const auto& [name, value] : *table) {
        if (name == key) return &value;
    }
    return nullptr;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

void Value::set(std::string_view key, Value value) {
    if (Value* old = find(key)) {
        *old = std::move(value);
    } else {
        as<Table>()->emplace_back(std::string(key), std::move(value));
    }
}

bool Value::erase(std::string_view key) {
    auto* table = as<Table>();
    DASGD_CHECK(table);
    return std::erase_if(*table, [&](const auto& entry) { return entry.first == key; }) > 0;
}

std::string_view Value::typeName() const {
    constexpr std::string_view names[] = {"a boolean", "an integer", "a float", "a string", "an array", "a table"};
    return names[data_.index()];
}

std::string Value::toToml() const { return std::visit(ToToml{}, data_); }

std::string toTomlDocument(const Value& root) {
    std::string out;
    writeTable(root, "", out);
    return out;
}

}  // namespace dasgd
