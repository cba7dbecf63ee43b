// Measures a cluster from a recorded run: the computing time of a step and its scatter, the cost of collectives, and
// the slow-down of computing beside a collective. The run of `dasgd calibrate` (algorithm probe) gives all of these;
// other runs give those that their spans hold.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/cost/fit/link_fit.h"
#include "experiments/tools/calibrate/computed_steps.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

struct ComputeFit {
    double stepSeconds = 0;           // T_c, mean over steps and ranks, while nothing is being reduced
    double backwardShare = 0;         // share of T_c that the backward pass takes
    std::vector<double> rankFactors;  // each rank's mean ÷ that of all
    // Quantiles, evenly spaced from the smallest to the largest, of a step's time ÷ its rank's mean. Only what sets the
    // ranks apart in a step: a host that slows all of them down at once causes no wait.
    std::vector<double> jitter;
    double jitterDeviation = 0;
    // κ, kMostContention at most; none where too few steps of a rank ran beside a collective, or without one.
    std::optional<double> contention;
    // Half of the 95 % interval of T_c ÷ T_c, and κ's interval, by the scatter of the means of eight stretches of the
    // run; none where a stretch has too few steps. Of this run alone: another may differ by more.
    std::optional<double> stepSpread;
    std::optional<std::pair<double, double>> contentionInterval;
    std::size_t aloneSteps = 0;  // of all ranks, which T_c is of; 0: too few of a rank, and T_c is of all steps
    std::size_t overlapped = 0;  // beside a collective
};

// Errors: no rank has three whole steps.
[[nodiscard]] Result<ComputeFit> fitCompute(const std::vector<ComputedStep>& steps);

struct Calibration {
    std::string runId, gitCommit, model;
    std::string origin;  // "measured", "measured, emulated link 200Mbps, 1ms", "time simulated"
    int workers = 0;
    std::int64_t batchSize = 0;  // per worker
    ComputeFit compute;
    std::vector<double> gradientShares;          // empty where the run did not measure them
    std::optional<double> memoryBytesPerSecond;  // memory throughput of the snapshots
    std::optional<LinkFit> link;                 // nullopt for a run on one rank, and one that never communicated
    std::vector<TimedCollective> timed;          // measurements to which the link was fitted
    double bytes = 0;                            // S of all trainable weights, as the largest collective had it
};

// Errors: no such run, a run without spans, whatever the fits say.
[[nodiscard]] Result<Calibration> calibrationOf(storage::WorkspaceReader& reader, const std::string& runId);

// Reasons, in sentences, why forecasts from it may be wrong: a link that fits its transfers badly, a contention that
// was not seen or that is as large as can be told. "" where nothing is known, and without a link.
[[nodiscard]] std::string doubtOf(const Calibration& calibration);

}  // namespace dasgd::experiments
