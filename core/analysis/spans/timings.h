// Numbers of a run over all its ranks, each defined once: the parts of a collective's time, the time per step, the
// slowest rank. Pure. Definitions in prose: storage/format.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/event.h"

namespace dasgd {

struct RankSpan {
    int rank = 0;
    Span span;
};

// True for a collective's time on one rank, undivided or a part of it.
[[nodiscard]] constexpr bool isReduce(SpanKind kind) {
    return kind == SpanKind::Reduce || kind == SpanKind::Skew || kind == SpanKind::Transfer;
}

// A rank's part in a collective: skew until the last rank arrived, transfer from then to the end.
struct DividedReduce {
    std::optional<Span> skew;  // none where this rank arrived last
    Span transfer;
};
// `lastArrival` is on the same clock as `reduce` but for the bound on the ranks' clocks; it is moved into the reduce
// where it lies outside, so that no part has a negative length.
[[nodiscard]] DividedReduce divideReduce(const Span& reduce, Ns lastArrival);

// Steps that a rank made in clean windows, and the time that they took.
struct RankRate {
    std::int64_t steps = 0;
    double seconds = 0;
    [[nodiscard]] bool known() const { return steps > 0 && seconds > 0; }
};
// Rates of a run: ranks that wait for each other make steps at one rate, others each at their own. The run's time per
// step is 1 ÷ the mean of the ranks' rates, and its samples per second the sum of batch × rate.
struct RunRate {
    double stepSeconds = 0;
    double samplesPerS = 0;
};
// nullopt where there is no rank, or one of them has no timed step: the mean of the others would be another run's.
// `batch`: samples of one rank in one step.
[[nodiscard]] std::optional<RunRate> rateOf(std::span<const RankRate> ranks, double batch);

// The rank with the largest compute time per step (waiting left out, as coupled ranks wait for each other).
struct Straggler {
    int rank = 0;
    double excess = 0;  // its compute time per step ÷ the median of the ranks − 1
};
// Straggler among spans of any ranks in any order; nullopt for fewer than two ranks, and where the difference is no
// more than noise: under one hundredth, or under four standard errors over several stretches of the spans.
[[nodiscard]] std::optional<Straggler> stragglerOf(std::span<const RankSpan> spans);

}  // namespace dasgd
