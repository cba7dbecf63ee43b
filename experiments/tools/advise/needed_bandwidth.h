// Bandwidth that a configuration needs for a share of its time in which workers compute, by formula alone
// (core/cost/compute_utilization.h): nothing is run, and the bandwidth of its own network is not read. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cost/compute_utilization.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

// Its rounds, as far as the formula needs them.
struct NeededRound {
    UtilizationRound round;
    ExchangeTime exchange;
    LinkCost link;                          // β is 0
    std::vector<std::string> assumes = {};  // sentences
};

// `algorithm`: the schema's entry of the experiment's algorithm. Errors: reason why there is no formula, in words and
// without the algorithm's name, with the remedy where there is one.
[[nodiscard]] Result<NeededRound> neededRound(const CheckedExperiment& experiment, const AlgorithmInfo& algorithm);

struct NeededBandwidth {
    std::string label, algorithm;
    // For each utilisation: bytes per second, 0 where nothing is sent, infinite where latency alone prevents it. Empty
    // where there is no formula.
    std::vector<double> bytesPerSecond;
    std::string why;  // there is none
    std::vector<std::string> assumes;
};
// One for each experiment. `utilizations` lie between 0 and 1.
[[nodiscard]] std::vector<NeededBandwidth> neededBandwidths(const std::vector<CheckedExperiment>& experiments,
                                                            const std::vector<double>& utilizations);

}  // namespace dasgd::experiments
