// One schema, five uses: a parameter struct visits its own fields once, and TOML reading, the command line,
// `dasgd describe`, the GUI's form and the stored run record all go through that visit.
//
//   struct DasgdParams {
//       std::int64_t period = 4;
//       void visit(auto&& f) { f(period, "period", {.min = 1, .unit = "steps", .help = "Steps between averages"}); }
//       std::optional<FieldError> check() const;   // optional: rules across fields
//   };
//
// Field types: bool, int64_t, double, std::string, std::vector<int64_t|double|std::vector<double>>, another visitable
// struct, std::optional of one.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd {

struct FieldSpec {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool minOpen = false;  // the bound itself is not allowed
    bool maxOpen = false;
    std::string unit = {};
    std::string symbol = {};  // as in the paper: "τ"
    std::string help = {};
    std::vector<std::string> choices = {};  // allowed values of a string
};

// A rule across fields was broken; `field` names the one to point at.
struct FieldError {
    std::string field;
    std::string message;
};

struct FieldInfo {
    std::string name;
    std::string type;  // bool integer float string integers floats matrix table
    std::string defaultToml;
    bool optional = false;
    FieldSpec spec;
    std::vector<FieldInfo> children;  // fields of a table
};

struct FieldProbe {
    void operator()(auto&, std::string_view, const FieldSpec&) {}
};
template <class T>
concept Visitable = requires(T& t, FieldProbe& probe) {
    t.visit(probe);
};

namespace detail {

// Conversions of one value; the error says what was expected and what was found.
Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, bool& out);
Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, std::int64_t& out);
Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, double& out);
Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, std::string& out);

template <class T>
Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, std::vector<T>& out) {
    const auto* array = value.as<Value::Array>();
    if (!array) {
        return value.error(std::string(name) + " must be an array, found " + std::string(value.typeName()));
    }
    out.clear();
    for (const Value& element : *array) {
        T item{};
        DASGD_TRY(readScalar(element, spec, name, item));
        out.push_back(std::move(item));
    }
    return {};
}

inline Value toValue(bool v) { return Value(v); }
inline Value toValue(std::int64_t v) { return Value(v); }
inline Value toValue(double v) { return Value(v); }
inline Value toValue(const std::string& v) { return Value(v); }
template <class T>
Value toValue(const std::vector<T>& items) {
    Value::Array array;
    for (const T& item : items) array.push_back(toValue(item));
    return Value(std::move(array));
}

template <class T>
constexpr std::string_view typeNameOf() {
    if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return "integer";
    else if constexpr (std::is_same_v<T, double>)
        return "float";
    else if constexpr (std::is_same_v<T, std::string>)
        return "string";
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
        return "integers";
    else if constexpr (std::is_same_v<T, std::vector<double>>)
        return "floats";
    else
        return "matrix";
}

// The known name that is at most two typing errors away from `name`, or null.
const std::string* nearestName(std::string_view name, const std::vector<std::string>& known);

// "unknown key 'peroid'; did you mean 'period'? Known: …", at the key's place.
tl::unexpected<Error> unknownKey(const Value& at, std::string_view key, const std::vector<std::string>& known);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

}  // namespace detail

template <Visitable P>
std::vector<FieldInfo> describeFields();
template <Visitable P>
Status readFields(const Value& table, P& out, const std::vector<std::string>& alsoKnown = {});
template <Visitable P>
Value writeFields(const P& params);

namespace detail {

struct DescribeVisitor {
    std::vector<FieldInfo> fields;
    template <class T>
    void operator()(T& field, std::string_view name, FieldSpec spec = {}) {
        FieldInfo info{.name = std::string(name), .type = "table", .spec = std::move(spec)};
        if constexpr (IsOptional<T>::value) {
            info.optional = true;
            info.children = describeFields<typename T::value_type>();
        } else if constexpr (Visitable<T>) {
            info.children = describeFields<T>();
        } else {
            info.type = typeNameOf<T>();
            info.defaultToml = toValue(field).toToml();
        }
        fields.push_back(std::move(info));
    }
};

struct ReadVisitor {
    const Value& table;
    std::vector<std::string> known;
    Status status;
    template <class T>
    void operator()(T& field, std::string_view name, FieldSpec spec = {}) {
        known.emplace_back(name);
        const Value* value = table.find(name);
        if (!value || !status) return;
        if constexpr (IsOptional<T>::value || Visitable<T>) {
            if (!value->isTable()) {
                status = value->error(std::string(name) + " must be a table, found " + std::string(value->typeName()));
            } else if constexpr (Visitable<T>) {
                status = readFields(*value, field);
            } else {
                status = readFields(*value, field.emplace());
            }
        } else {
            status = readScalar(*value, spec, name, field);
        }
    }
};

struct WriteVisitor {
    Value table;
    template <class T>
    void operator()(T& field, std::string_view name, const FieldSpec& = {}) {
        if constexpr (IsOptional<T>::value) {
            if (field) table.set(name, writeFields(*field));
        } else if constexpr (Visitable<T>) {
            table.set(name, writeFields(field));
        } else {
            table.set(name, toValue(field));
        }
    }
};

}  // namespace detail

// The fields with defaults, ranges and units, in declaration order.
template <Visitable P>
std::vector<FieldInfo> describeFields() {
    P defaults{};
    detail::DescribeVisitor visitor;
    defaults.visit(visitor);
    return std::move(visitor.fields);
}

// Reads `table` over the values in `out`. Unknown keys (beyond `alsoKnown`), wrong types, values out of range and rules
// of P::check() are errors with the value's place.
template <Visitable P>
Status readFields(const Value& table, P& out, const std::vector<std::string>& alsoKnown) {
    detail::ReadVisitor visitor{table, alsoKnown, {}};
    out.visit(visitor);
    DASGD_TRY(visitor.status);
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        bool found = false;
        for (const std::string& name : visitor.known) found = found || name == key;
        if (!found) return detail::unknownKey(value, key, visitor.known);
    }
    if constexpr (requires {
                      { out.check() } -> std::same_as<std::optional<FieldError>>;
                  }) {
        if (auto broken = out.check()) {
            const Value* at = table.find(broken->field);
            return (at ? *at : table).error(broken->message);
        }
    }
    return {};
}

// All fields with their present values: the resolved configuration.
template <Visitable P>
Value writeFields(const P& params) {
    P copy = params;
    detail::WriteVisitor visitor;
    copy.visit(visitor);
    return std::move(visitor.table);
}

}  // namespace dasgd
