// The critical path of a run, or of some of its steps: the chain of work without a gap that decides when the last rank
// ends; and how long the same work would take if transfers took no time. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/base/time_range.h"

namespace dasgd {

// The path is followed along a rank's own work; where the rank waited for a collective, on along the transfer to the
// rank that arrived last, and along its work. Its parts add up to the length of `range`.
struct CriticalPath {
    TimeRange range;  // from the first span of any rank to the last end
    int rank = 0;     // the rank that ends last
    Ns compute = 0;
    Ns transfer = 0;
    Ns messages = 0;  // waits for single messages, of which no span tells who sent them: they count as work of the rank
    Ns other = 0;     // data, evaluations, checkpoints
    Ns idle = 0;      // no span says why
    // Length of the range if every transfer of a collective took no time, all other work as long as it did, and ranks
    // waited for each other as before. Contention is left as it was, and so are waits for messages. A rank that found a
    // collective ended, and neither merged it nor updated by it, is not known to need it: then this is a lower bound.
    Ns withoutTransfers = 0;
    [[nodiscard]] Ns length() const { return compute + transfer + messages + other + idle; }
    // Share of the time that free transfers would save; 0 for an empty range.
    [[nodiscard]] double saved() const;
};

// Path through `spans` of all ranks, in any order. Collectives of which a rank's arrival is not among them end as late
// after the others' as they did. nullopt: no rank has a span.
[[nodiscard]] std::optional<CriticalPath> criticalPathOf(std::span<const RankSpan> spans);

// The spans of the steps `first` to `last`: what a rank did in them, and the collectives in flight meanwhile.
[[nodiscard]] std::vector<RankSpan> spansOfSteps(std::span<const RankSpan> spans, std::int64_t first,
                                                 std::int64_t last);

}  // namespace dasgd
