// Positions of a group's members within the group that it was split from, for communicators that wrap another one.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/comm/communicator.h"

namespace dasgd {

// The ranks within `whole` of the members of `part`, in the order of `part`: with them the same group can be split off
// another communicator of `whole`. All members of `part` are members of `whole`.
[[nodiscard]] inline std::vector<Rank> placesOf(const Group& part, const Group& whole) {
    std::vector<Rank> places;
    places.reserve(part.members.size());
    for (const Rank member : part.members) {
        const auto found = std::ranges::find(whole.members, member);
        DASGD_CHECK(found != whole.members.end());
        places.emplace_back(static_cast<int>(found - whole.members.begin()));
    }
    return places;
}

}  // namespace dasgd
