// Chooses delay, period and merge for a cluster and explains the choice. Pure: properties of the cluster go in,
// settings and sentences come out. Formulas: core/cost/step_time.h and cost.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/communication_pattern.h"
#include "core/cost/cost.h"
#include "core/cost/messages/message_schedule.h"
#include "core/cost/step_time.h"

namespace dasgd::experiments {

// One experiment on one cluster.
struct ClusterFacts {
    int workers = 0;
    double stepSeconds = 0;                // T_c
    double backwardShare = 0;              // share of T_c that the backward pass takes
    double reduceSeconds = 0;              // T_m, one all-reduce of all weights with nothing else to do
    double bytes = 0;                      // S
    double jitter = 0;                     // standard deviation of a step between ranks, ÷ T_c
    std::optional<double> contention = 0;  // κ; nullopt: not observed, and counted as 0
    double memoryBytesPerSecond = 0;
    LinkCost link;                                            // cost of the link in an all-reduce
    std::optional<AllReduceKind> allReduce{AllReduceKind{}};  // nullopt: no formula gives its time for other workers
    std::int64_t batchSize = 0;                               // b, batch size of one worker
    std::vector<double> gradientBytes = {};   // bytes of each parameter in order of registration; empty: not known
    std::vector<double> gradientShares = {};  // share of the backward pass that each gradient takes; as many, or empty
    // What [compression] makes of an exchange of all weights, and the passes of the advised algorithm for it; nullopt:
    // it travels whole.
    std::optional<CompressedExchange> compressed = std::nullopt;
    CodingPasses coding = {};
    [[nodiscard]] double countedContention() const { return contention.value_or(0); }
};

// By α, β and ρ alone; a method that does not fit the number of workers becomes a ring, as in the simulation.
[[nodiscard]] double allReduceByFormula(const ClusterFacts& facts, double bytes, int workers);

// The one condition behind every sentence: a transfer, and how late behind the mean the last rank is expected to begin
// it, fit into `room` seconds of computing. A billionth too long still fits. Contention makes computing beside the
// transfer take longer: that margin is not counted.
struct Delivery {
    double transfer = 0;
    double spread = 0;
    [[nodiscard]] double needs() const { return transfer + spread; }
    [[nodiscard]] bool fitsInto(double room) const { return needs() <= room * (1 + 1e-9); }
};

struct Advice {
    std::int64_t period = 0;   // τ
    std::int64_t delay = 0;    // d
    double localWeight = 0;    // ξ
    double correction = 0;     // c
    bool hides = false;        // d·T_c covers T_m and the spread, or each stage of an exchange in its own steps
    ExchangeSeconds exchange;  // one exchange of all weights
    double spreadSeconds = 0;  // expected lag of the last rank behind the mean when a snapshot leaves
    double overhead = 0;       // contention, snapshot and merge per step, ÷ T_c
    double stepSeconds = 0;    // time of a step by formula
    // Fewest samples per worker with which a delay of one step covers T_m and the spread; 0: no number of them does.
    std::int64_t delayBatch = 0;
    int mostWorkers = 0;  // most workers with which this delay hides an average; 0: over a million, or not known
    // The most workers among which the batch of all may be divided with this efficiency, where they wait for an average
    // in each step (core/cost/sizing.h); 0: any number.
    double efficiency = 0;
    std::int64_t efficientWorkers = 0;
    int parameterServers = 0;  // fewest dedicated servers that exchange all weights within this delay; 0: no number
    std::vector<std::string> why;
};

// The most that synchronous SGD can hide: all buckets but the last, which leaves after the backward pass.
struct SyncHiding {
    std::size_t buckets = 0;
    double most = 0;         // largest share of the time of its transfers that can be hidden
    std::int64_t batch = 0;  // samples per worker from which on that share is hidden; 0 where `most` is 0
};
// nullopt where gradients' sizes or shares are not known, or gradients are compressed. Limits in bytes.
[[nodiscard]] std::optional<SyncHiding> syncHiding(const ClusterFacts& facts, double firstLimit, double limit);
[[nodiscard]] std::string inWords(const SyncHiding& hiding);

// τ is the smallest that leaves contention, snapshots and merges at most `allowedOverhead` of a step, and no smaller
// than d. Longer than `kLongestPeriod` is not advised: `hides` is false then where d does not fit.
inline constexpr std::int64_t kLongestPeriod = 256;
inline constexpr double kWantedEfficiency = 0.9;
[[nodiscard]] Advice advise(const ClusterFacts& facts, double allowedOverhead, double efficiency = kWantedEfficiency);

// Time of a step by formula with this period and delay: computing, contention, what of an exchange is not covered,
// snapshots and merges.
[[nodiscard]] double stepByFormula(const ClusterFacts& facts, std::int64_t period, std::int64_t delay);

// Local steps that count ÷ local steps made: a merge keeps the share γ = ξ + (1−ξ)c of the d steps it overlaps
// (algorithms.md A2, identity 2), so that 1 − (1−γ)d/τ of a round's steps count.
[[nodiscard]] double effectiveShare(std::int64_t period, std::int64_t delay, double localWeight, double correction);

}  // namespace dasgd::experiments
