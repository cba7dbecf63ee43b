// α, β and ρ of a cluster from how long collectives of several sizes took on it. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/cost/cost.h"

namespace dasgd {

// One collective as a ring among the ranks, with nothing else on the links.
struct TimedCollective {
    enum class Kind : std::uint8_t { AllReduce, AllGather };
    Kind kind{};
    double bytes = 0;    // S; for an all-gather, what each rank gives
    double seconds = 0;  // from the last rank's arrival to the last rank's end
};

struct LinkFit {
    LinkCost cost;
    // |fitted ÷ timed − 1| for the transfer that took longest, and the largest over all.
    double longest = 0;
    double worst = 0;
};

// Fits α, β, ρ >= 0 to
//   all-reduce  2(P−1)α + 2S(P−1)/P·β + S(P−1)/P·ρ
//   all-gather  (P−1)(α + Sβ)
// β and ρ come from least squares, in which the long transfers count most, as they do in training; α then from what the
// smallest transfer of either kind takes beyond its bytes. All-gathers separate ρ from β: where they take so long that
// ρ comes out 0, β is that of the all-reduces alone, since they are what training does. A link whose first bytes pass
// faster than the rest (a token bucket) has α = 0. Errors: fewer than two ranks, fewer than two sizes, a time that is
// not above 0.
[[nodiscard]] Result<LinkFit> fitLink(std::span<const TimedCollective> timed, int ranks);

}  // namespace dasgd
