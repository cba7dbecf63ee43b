// Lateness of the ranks at the averages. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/spans/timings.h"

namespace dasgd {

struct RankLateness {
    int rank = 0;
    // Mean over the averages of (its arrival − the median arrival of the average's ranks); negative: early.
    double lateNs = 0;
    // four standard errors of `lateNs`, at least 50 µs, and the clocks' error; smaller values show nothing
    double noiseNs = 0;
    std::int64_t averages = 0;  // averages that it took part in
    std::int64_t last = 0;      // number of them at which it was the last to arrive
    // True where it is later than the noise by a tenth of it and by 0.1 ms at least, so that the two differ as they are
    // shown: among many ranks chance puts one slightly beyond. How often it was last does not count: the second of two
    // stragglers never is.
    [[nodiscard]] bool isBeyondNoise() const { return lateNs - noiseNs >= std::max(0.1 * noiseNs, 1e5); }
};

struct Lateness {
    std::vector<RankLateness> ranks;  // by rank; those that took part in an average
    std::int64_t averages = 0;        // number of averages measured
    double noiseNs = 0;               // the median of the ranks' noise
    // The rank's numbers; null where it took part in none.
    [[nodiscard]] const RankLateness* of(int rank) const;
};

// Lateness from the collectives of which every rank's part is among the spans, `ranks` of them where a span does not
// say how many. A rank arrives where its skew begins, or, where it was last and has none, its transfer. Collectives to
// which a rank came outside its windows (start-up, evaluations and what they disturbed) do not count, unless no rank
// has any window. nullopt: fewer averages than tell noise from a straggler, or fewer than two ranks. `clockErrorNs`
// bounds the error of each rank's time line: two of them may differ by twice as much in every average, so no number of
// averages helps.
[[nodiscard]] std::optional<Lateness> latenessOf(std::span<const RankSpan> spans, int ranks, double clockErrorNs = 0);

}  // namespace dasgd
