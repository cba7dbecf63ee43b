// All-gather of unequal contributions with collectives that know equal ones alone, as HAP chooses it (Zhang et al.,
// arXiv 2401.05965): padded to the largest contribution, P·max bytes, or as one broadcast a rank, Σ bytes. Not read in
// the paper: the two times, which are those of cost.h for the same links.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost/cost.h"

namespace dasgd {

struct UnevenGather {
    enum class Way : std::uint8_t { Padded, Broadcasts };
    Way way = Way::Padded;
    double seconds = 0;
};

// (P−1)(α + max·β): an all-gather by ring.
[[nodiscard]] double paddedGatherSeconds(const LinkCost& link, const std::vector<double>& bytesOf);
// Σᵢ ⌈log₂P⌉(α + Sᵢβ) over the ranks that contribute anything: broadcasts along a tree, one after the other.
[[nodiscard]] double broadcastsGatherSeconds(const LinkCost& link, const std::vector<double>& bytesOf);
// The cheaper one; of equal ones the padded all-gather. `bytesOf`: contribution of each rank, at least one.
[[nodiscard]] UnevenGather cheaperGather(const LinkCost& link, const std::vector<double>& bytesOf);

}  // namespace dasgd
