// Configuration trees for tests, without a TOML reader: keys carry a source position, so that tests see errors point.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/base/value.h"

namespace dasgd::test {

// A place in "test.toml".
inline SourcePosition at(int line, int column) {
    return {std::make_shared<const std::string>("test.toml"), line, column};
}

inline Value text(const std::string& value) { return Value(value); }
inline Value number(double value) { return Value(value); }
inline Value integer(std::int64_t value) { return Value(value); }
template <class T>
Value array(std::initializer_list<T> items) {
    Value::Array values;
    for (const T& item : items) values.push_back(Value(item));
    return Value(std::move(values));
}
inline Value table(std::initializer_list<std::pair<std::string, Value>> entries) {
    return Value(Value::Table(entries.begin(), entries.end()));
}

}  // namespace dasgd::test
