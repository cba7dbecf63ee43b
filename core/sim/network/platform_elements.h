// The elements and attributes of SimGrid's platform files that a network needs, and which values they may have. What is
// not listed here never reaches SimGrid.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace dasgd {

// A kind of attribute's value.
struct PlatformValue {
    bool (*isRight)(std::string_view value);  // null: any, and it is not passed on
    std::string_view allowed;                 // for people
};

struct PlatformAttribute {
    std::string_view name;
    const PlatformValue* value;
    bool required = true;  // one that is not may also be empty, which is as if it were not there
};

struct PlatformElement {
    std::string_view written;  // its name in what SimGrid reads; empty: it is left out
    std::vector<PlatformAttribute> attributes;
    std::set<std::string_view> children;
};

// By name.
[[nodiscard]] const std::map<std::string_view, PlatformElement>& platformElements();

// Why SimGrid's element or attribute of this name is not allowed, where there is more to say than that; else empty.
[[nodiscard]] std::string_view reasonAgainst(std::string_view name);

// How many numbers a cluster's radical, as "0-3,7", names; -1 where it is none.
[[nodiscard]] std::int64_t countOfRadical(std::string_view value);

}  // namespace dasgd
