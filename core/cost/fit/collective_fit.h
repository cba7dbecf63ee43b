// α and β of one collective from how long it took at several sizes, as a benchmark of collectives lists them. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

enum class Collective : std::uint8_t { AllReduce, ReduceScatter, AllGather, SendReceive, AllToAll };
inline constexpr std::array<std::string_view, 5> kCollectiveNames{"all-reduce", "reduce-scatter", "all-gather",
                                                                  "send-receive", "all-to-all"};

// The model t = messages·α + bytesShare·S·β of one collective among P ranks, by the formulas of cost.h for a ring (a
// direct exchange for the all-to-all, one message to a neighbour for send-receive) with ρ = 0: the reduction is counted
// in β. S is the whole payload: of an all-gather what a rank holds in the end, of a reduce-scatter what it has at
// first.
struct CollectiveShape {
    double messages = 0;
    double bytesShare = 0;  // bytes that a rank sends ÷ S, which is also bus bandwidth ÷ algorithm bandwidth
};
[[nodiscard]] CollectiveShape shapeOf(Collective collective, int ranks);

struct CollectiveTiming {
    double bytes = 0;  // S
    double seconds = 0;
};

struct CollectiveFit {
    double alpha = 0;  // seconds per message
    double beta = 0;   // seconds per byte that a rank sends
    // Fitted ÷ timed − 1, in the order of the timings.
    std::vector<double> residuals;
    double rootMeanSquare = 0;
    double worst = 0;    // the largest |residual|
    double longest = 0;  // |residual| of the timing that took longest
};

// Least squares on time with α, β ≥ 0, each timing weighted by 1/time²: the sum of the squared residuals above is
// least. A benchmark's times span four orders of magnitude and scatter in proportion to themselves; unweighted, the
// largest sizes alone would decide, and their error, many times the latency, would be taken for α. Errors: fewer than
// two ranks or sizes, a time that is not above 0.
[[nodiscard]] Result<CollectiveFit> fitCollective(Collective collective, std::span<const CollectiveTiming> timings,
                                                  int ranks);

}  // namespace dasgd
