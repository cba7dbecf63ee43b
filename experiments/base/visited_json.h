// Structs that visit their own fields (core/base/schema/fields.h) as JSON, and the help of their fields as text.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/schema/fields.h"

namespace dasgd::experiments {

// One object; numbers that are not finite and absent values are null, enumerations their names.
template <Visitable T>
[[nodiscard]] nlohmann::json visitedJson(T& value);

namespace detail {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
nlohmann::json jsonValue(T& value) {
    if constexpr (Visitable<T>) {
        return visitedJson(value);
    } else if constexpr (dasgd::detail::IsOptional<T>::value) {
        return value ? jsonValue(*value) : nlohmann::json();
    } else if constexpr (IsList<T>::value) {
        nlohmann::json all = nlohmann::json::array();
        for (auto& one : value) all.push_back(jsonValue(one));
        return all;
    } else if constexpr (std::is_enum_v<T>) {
        return nameOf(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
    } else {
        return value;
    }
}

struct JsonVisitor {
    nlohmann::json json = nlohmann::json::object();
    void operator()(auto& field, std::string_view name, const FieldSpec&) {
        json[std::string(name)] = jsonValue(field);
    }
};

struct HelpVisitor {
    std::string text;
    void operator()(auto&, std::string_view name, const FieldSpec& spec) {
        if (!spec.help.empty()) text += "  " + std::string(name) + ": " + spec.help + "\n";
    }
};

}  // namespace detail

template <Visitable T>
nlohmann::json visitedJson(T& value) {
    detail::JsonVisitor visitor;
    value.visit(visitor);
    return std::move(visitor.json);
}

// A line for each field that has a help.
template <Visitable T>
[[nodiscard]] std::string fieldsHelp() {
    T value;
    detail::HelpVisitor visitor;
    value.visit(visitor);
    return std::move(visitor.text);
}

}  // namespace dasgd::experiments
