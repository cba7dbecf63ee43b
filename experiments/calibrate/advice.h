// Which delay, period and merge a cluster asks for, and why. Pure: what the cluster is like goes in, settings and
// sentences come out. Formulas: core/cost/step_time.h and sizing.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost.h"

namespace dasgd::experiments {

// Of one experiment on one cluster.
struct ClusterFacts {
    int workers = 0;
    double stepSeconds = 0;                // T_c
    double backwardShare = 0;              // of it
    double reduceSeconds = 0;              // T_m, one all-reduce of all weights with nothing else to do
    double bytes = 0;                      // S
    double jitter = 0;                     // standard deviation of a step between ranks, ÷ T_c
    std::optional<double> contention = 0;  // κ; none: not seen, and counted as 0
    double memoryBytesPerSecond = 0;
    LinkCost link;               // as a ring sees it
    std::int64_t batchSize = 0;  // b of a worker
    [[nodiscard]] double countedContention() const { return contention.value_or(0); }
};

struct Advice {
    std::int64_t period = 0;      // τ
    std::int64_t delay = 0;       // d
    double localWeight = 0;       // ξ
    double correction = 0;        // c
    bool hides = false;           // d·T_c covers T_m and the scatter
    double spreadSeconds = 0;     // how far apart ranks are when a snapshot leaves, expected
    double overhead = 0;          // of a step: contention, snapshot and merge, ÷ T_c
    double stepSeconds = 0;       // by formula
    std::int64_t delayBatch = 0;  // fewest samples a worker with which a delay of one step hides T_m
    std::int64_t syncBatch = 0;   // with which the backward pass alone covers it
    int mostWorkers = 0;          // up to which this delay hides a ring's T_m; 0: a million and more
    int parameterServers = 0;     // dedicated ones that would keep up
    std::vector<std::string> why;
};

// τ is the smallest that leaves contention, snapshots and merges at most `allowedOverhead` of a step, and no smaller
// than d. Longer than `kLongestPeriod` is not advised: `hides` is false then where d does not fit.
inline constexpr std::int64_t kLongestPeriod = 256;
[[nodiscard]] Advice advise(const ClusterFacts& facts, double allowedOverhead);

// Local steps that count ÷ local steps made: a merge keeps the share γ = ξ + (1−ξ)c of the d steps it overlaps
// (algorithms.md A2, identity 2), so that 1 − (1−γ)d/τ of a round's steps count.
[[nodiscard]] double effectiveShare(std::int64_t period, std::int64_t delay, double localWeight, double correction);

}  // namespace dasgd::experiments
