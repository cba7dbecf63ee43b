// Ways to all-reduce, for tests that hold for each of them.
#pragma once

#include <string>
#include <vector>

#include "core/cost/messages/message_schedule.h"

namespace dasgd::test {

// Kinds of all-reduce among `ranks`, with each of `parts` as groups where it divides them, and as the number of
// servers.
inline std::vector<AllReduceKind> kindsFor(int ranks, const std::vector<int>& parts) {
    std::vector<AllReduceKind> kinds{{AllReduceMethod::Ring},
                                     {AllReduceMethod::HalvingDoubling},
                                     {AllReduceMethod::RecursiveDoubling},
                                     {AllReduceMethod::Tree}};
    for (const int part : parts) {
        if (ranks % part == 0) kinds.push_back({AllReduceMethod::Hierarchical, part, 1});
        kinds.push_back({AllReduceMethod::ParameterServer, 1, part});
    }
    return kinds;
}

inline std::string describe(const AllReduceKind& kind, int ranks) {
    return std::string(nameOf(kind.method)) + " G=" + std::to_string(kind.groupSize) +
           " n=" + std::to_string(kind.servers) + " P=" + std::to_string(ranks);
}

}  // namespace dasgd::test
