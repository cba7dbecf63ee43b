// Configuration trees for tests, without a TOML reader: keys carry a source position, so that tests see errors point.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/schema/value.h"

namespace dasgd::test {

// A place in "test.toml".
inline SourcePosition at(int line, int column) {
    return {std::make_shared<const std::string>("test.toml"), line, column};
}

using Fields = std::vector<std::pair<std::string, Value>>;
inline Value table(Fields fields) {
    Value made;
    for (auto& [key, value] : fields) made.set(key, std::move(value));
    return made;
}
// Equal data; positions do not count.
inline bool sameData(const Value& a, const Value& b) { return a.toToml() == b.toToml(); }
inline Value text(const std::string& words) { return Value(words); }
inline Value number(double v) { return Value(v); }
inline Value integer(std::int64_t v) { return Value(v); }
inline Value boolean(bool v) { return Value(v); }
template <class T>
Value array(const std::vector<T>& items) {
    Value::Array values;
    for (const T& item : items) values.emplace_back(item);
    return Value(std::move(values));
}
inline Value vector(const std::vector<double>& items) { return array(items); }
inline Value matrix(const std::vector<std::vector<double>>& rows) {
    Value::Array values;
    for (const auto& row : rows) values.push_back(vector(row));
    return Value(std::move(values));
}

}  // namespace dasgd::test
