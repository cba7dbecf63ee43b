// Sections whose plug-ins share some fields and have others of their own.
#pragma once

#include <string>
#include <vector>

#include "core/base/schema/fields.h"
#include "core/base/schema/value.h"

namespace dasgd {

// The names of the fields that all plug-ins of a section share.
template <Visitable P>
std::vector<std::string> fieldNames() {
    std::vector<std::string> names;
    for (const FieldInfo& field : describeFields<P>()) names.push_back(field.name);
    return names;
}

// The part of `table` that holds the fields of P.
template <Visitable P>
Value commonPart(const Value& table) {
    Value common(Value::Table{}, table.position());
    for (const std::string& name : fieldNames<P>()) {
        if (const Value* value = table.find(name)) common.set(name, *value);
    }
    return common;
}

}  // namespace dasgd
