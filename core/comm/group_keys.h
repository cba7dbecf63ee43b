// Keys of the groups of a run, which tell their collectives apart. A table of the run holds each key for one group, so
// that no two groups have the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/digest/fnv1a.h"

namespace dasgd {

// The key of the group that meets at `path`: a hash of the path or, where other groups hold that, the next one that
// none of them holds. `hold(key)` makes the path the holder of a key that has none, for good, and returns the holder;
// so all members find the same key. Positive as a signed 64-bit number once it is in the upper half of a collective's
// number.
[[nodiscard]] std::uint32_t keyOfGroup(const std::string& path, auto&& hold) {
    constexpr std::uint32_t kMost = 0x7fff'ffffU;
    std::uint32_t key = std::max(fnv1a(path) & kMost, 1U);
    while (hold(key) != path) key = key % kMost + 1;
    return key;
}

// The table where the ranks are in one process. Its owner locks it.
class GroupKeys {
public:
    [[nodiscard]] std::uint32_t of(const std::string& path) {
        return keyOfGroup(path, [&](std::uint32_t key) { return holders_.try_emplace(key, path).first->second; });
    }

private:
    std::map<std::uint32_t, std::string> holders_;
};

}  // namespace dasgd
