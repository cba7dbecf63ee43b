// Share of the time in which workers compute, where whole layers of the weights leave now and then and are awaited some
// steps later, and the bandwidth that a share asks for: the arithmetic behind tables of DiLoCo's bandwidth, such as
// table 4 of arXiv 2501.18512. Pure; seconds and bytes. Workers are alike, a step always takes as long, and an exchange
// finds its link idle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/cost/cost.h"

namespace dasgd {

// When the layers that leave after a step are sent.
//  Step      as one exchange, when the step is over
//  Backward  each by itself under the step's backward pass, as soon as its gradient is there: the optimiser steps it
//            then. The layers leave in the order of the pass, from the last to the first.
enum class LaunchTime : std::uint8_t { Step, Backward };
inline constexpr std::array<std::string_view, 2> kLaunchTimeNames{"step", "backward"};
constexpr std::string_view nameOf(LaunchTime time) { return kLaunchTimeNames[static_cast<std::size_t>(time)]; }

struct SentLayer {
    double backwardSeconds = 0;  // its part of the backward pass
    double bytes = 0;
};

struct UtilizationRound {
    double stepSeconds = 0;         // T_c, the backward pass included, which ends with the step
    std::vector<SentLayer> layers;  // in order of registration
    // Each fragment is made up of some layers, ascending; it leaves once in a period.
    std::vector<std::vector<std::size_t>> fragments;
    std::int64_t period = 1;  // H >= 1, steps
    std::int64_t delay = 0;  // δ: steps between the one with which a fragment leaves and the one after which it is due
    LaunchTime launch = LaunchTime::Step;
};

// Seconds of the exchange of so many bytes over such a link.
using ExchangeTime = std::function<double(const LinkCost& link, double bytes)>;

// Seconds that a worker waits in one period, T_m being `exchange` and T_b the time of the backward pass:
//  Step      Σ max(0, T_m(bytes of the fragment) − δT_c)
//  Backward  Σ max(0, e − T_b − δT_c) with e_j = max(r_j, e_{j−1}) + T_m(bytes of layer j), where the gradient of
//            layer j is ready at r_j and e is the last e_j, all since the pass began
// over all fragments. Precondition: every fragment has a layer, and is merged before the next one leaves.
[[nodiscard]] double exposedSeconds(const UtilizationRound& round, const ExchangeTime& exchange, const LinkCost& link);
// H·T_c / (H·T_c + exposed seconds), 0 … 1.
[[nodiscard]] double computeUtilization(const UtilizationRound& round, const ExchangeTime& exchange,
                                        const LinkCost& link);
// The least bandwidth in bytes per second with which the utilisation is at least `utilization`, 0 < utilization < 1, to
// a billionth of itself; α and ρ are those of `link`, whose β is not read. Infinite where they alone prevent it, 0
// where nothing has to be sent.
[[nodiscard]] double bandwidthFor(const UtilizationRound& round, const ExchangeTime& exchange, LinkCost link,
                                  double utilization);

// Layers 0 … `layers` − 1 in `count` fragments, layer i in fragment i mod count: strided, as in arXiv 2501.18512.
// Precondition: 1 <= count <= layers.
[[nodiscard]] std::vector<std::vector<std::size_t>> stridedFragments(std::size_t layers, std::size_t count);

}  // namespace dasgd
