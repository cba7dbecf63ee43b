// TOML: an experiment file, an argument of the command line, and a key.
#include <cmath>
#include <string>
#include <vector>

#include "core/base/schema/toml_reader.h"
#include "core/base/schema/value.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace dasgd;
using dasgd::fuzz::require;

bool isSame(const Value& a, const Value& b);

bool isSameArray(const Value::Array& a, const Value::Array& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!isSame(a[i], b[i])) return false;
    }
    return true;
}

// Compares in any order: a document has its scalars first.
bool isSameTable(const Value::Table& a, const Value& b) {
    if (!b.isTable() || a.size() != b.as<Value::Table>()->size()) return false;
    for (const auto& [key, value] : a) {
        const Value* other = b.find(key);
        if (!other || !isSame(value, *other)) return false;
    }
    return true;
}

bool isSame(const Value& a, const Value& b) {
    if (a.data().index() != b.data().index()) return false;
    if (const auto* items = a.as<Value::Array>()) return isSameArray(*items, *b.as<Value::Array>());
    if (const auto* table = a.as<Value::Table>()) return isSameTable(*table, b);
    if (const double* number = a.as<double>()) {
        const double other = *b.as<double>();
        return std::isnan(*number) ? std::isnan(other) : *number == other;
    }
    if (const auto* flag = a.as<bool>()) return *flag == *b.as<bool>();
    if (const auto* count = a.as<std::int64_t>()) return *count == *b.as<std::int64_t>();
    return *a.as<std::string>() == *b.as<std::string>();
}

// Text that nests to the very limit is printed with all parts of its keys at once, which is over it.
bool isOverLimit(const std::string& message) {
    return message.find("nested deeper than") != std::string::npos ||
           message.find("larger than 1 MiB") != std::string::npos;
}

void document(const std::string& text) {
    const auto parsed = parseToml(text, "a.toml");
    if (!parsed) return require(!parsed.error().message.empty(), "an error says what is wrong");
    const std::string printed = toTomlDocument(*parsed);
    const auto again = parseToml(printed, "b.toml");
    if (!again && isOverLimit(again.error().message)) return;
    require(again && isSame(*parsed, *again), "a document that was printed is read as the same", printed);
}

void argument(const std::string& text) {
    const auto parsed = parseArgument(text, "--set");
    if (!parsed) return require(!parsed.error().message.empty(), "an error says what is wrong");
    const std::string printed = parsed->toToml();
    const auto again = parseArgument(printed, "--set");
    if (!again && isOverLimit(again.error().message)) return;
    require(again && isSame(*parsed, *again), "an argument that was printed is read as the same", printed);
}

void keyPath(const std::string& text) {
    const auto parts = parseKeyPath(text, {});
    if (!parts) return require(!parts.error().message.empty(), "an error says what is wrong");
    require(!parts->empty(), "a key has a part");
    std::string printed;
    for (const std::string& part : *parts) printed += (printed.empty() ? "" : ".") + Value(part).toToml();
    // A key path may hold neither = nor #, not even in quotes; a part that has them is not read again.
    const auto again = parseKeyPath(printed, {});
    const bool plain = printed.find_first_of("=#") == std::string::npos;
    require(!plain || (again && *again == *parts), "a key that was printed is read as the same", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::textOf(data, size);
    document(text);
    argument(text);
    keyPath(text);
    return 0;
}
