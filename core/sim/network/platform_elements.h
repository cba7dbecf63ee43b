// The elements and attributes of SimGrid's platform files that a network needs, those that change nothing of it, and
// which values they may have. Nothing else reaches SimGrid.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dasgd {

// A kind of attribute's value.
struct PlatformValue {
    bool (*isRight)(std::string_view value);  // null: any, and it is not passed on
    std::string_view allowed;                 // for people
    // How SimGrid is to read a right one; null: as it is.
    std::string (*written)(std::string_view value) = nullptr;
};

struct PlatformAttribute {
    std::string_view name;
    const PlatformValue* value;
    bool required = true;  // an attribute that is not required may also be empty, which counts as absent
};

struct PlatformElement {
    std::string_view written;  // its name in SimGrid's input; empty: it is left out
    std::vector<PlatformAttribute> attributes;
    std::set<std::string_view> children;
    bool isSkipped = false;  // the element is left out with all that it contains, unread
};

// The name under which the <prop> of a <config> is listed, as other properties are free.
inline constexpr std::string_view kConfigOption = "config/prop";

// By name.
[[nodiscard]] const std::map<std::string_view, PlatformElement>& platformElements();

// Reason why SimGrid's element or attribute of this name is not allowed, where there is one to give; else empty.
[[nodiscard]] std::string_view reasonAgainst(std::string_view name);

// Number of numbers in a cluster's radical, such as "0-3,7"; -1 where it is no such list.
[[nodiscard]] std::int64_t countOfRadical(std::string_view value);

}  // namespace dasgd
