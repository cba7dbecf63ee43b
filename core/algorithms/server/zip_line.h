// ZipLine of ElasticBSP (Zhao et al., ICDM 2019): of predicted instants, several for each worker, one of each so that
// the latest and the earliest are as near as they can be.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time_range.h"

namespace dasgd {

struct ZipLineChoice {
    Ns spread = 0;                     // the latest − the earliest of the chosen instants
    std::vector<std::int64_t> chosen;  // for each worker the index of its instant
};

// `instants`: for each worker, of which there is at least one, its instants in ascending order, at least one. Of
// choices with the same spread the earliest. Time: O(n log n) in their number n.
[[nodiscard]] ZipLineChoice zipLine(const std::vector<std::vector<Ns>>& instants);

}  // namespace dasgd
