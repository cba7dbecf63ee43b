// Sections of an experiment's document, for commands that change it before it is checked.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/schema/value.h"

namespace dasgd::experiments {

// An empty table where the document has no such section, or something else in its place.
inline Value sectionOf(const Value& document, std::string_view name) {
    const Value* found = document.find(name);
    return found && found->isTable() ? *found : Value();
}

// Null where there is none, or one of another type.
template <class T>
const T* valueAt(const Value& document, std::string_view section, std::string_view key) {
    const Value* table = document.find(section);
    const Value* found = table && table->isTable() ? table->find(key) : nullptr;
    return found ? found->as<T>() : nullptr;
}

// Bytes of a weight by train.precision of a document with every field.
inline double weightBytes(const Value& resolved) {
    const auto* precision = valueAt<std::string>(resolved, "train", "precision");
    return precision && *precision == "float64" ? sizeof(double) : sizeof(float);
}

inline void put(Value& document, std::string_view section, std::string_view key, Value value) {
    Value table = sectionOf(document, section);
    table.set(key, std::move(value));
    document.set(section, std::move(table));
}

}  // namespace dasgd::experiments
