// T_c of a local step and T_m of an average for a planned run, with their sources: a calibration, a recorded run, or
// the run's own text if its cluster is simulated. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "core/base/result.h"
#include "core/cost/communication_pattern.h"
#include "core/cost/cost.h"
#include "experiments/config/schema.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// Measurements of a run of `dasgd calibrate`, and the configuration that it measured. Instants are seconds since 1970.
struct KnownCalibration {
    std::string name;  // of the experiment that it was made of
    std::string run;
    double measured = 0;
    Settings config;
    double stepSeconds = 0, backwardShare = 0, contention = 0;
    std::int64_t steps = 0;           // number of steps, over all ranks, that T_c is averaged over
    double memoryBytesPerSecond = 0;  // 0: not known
    std::optional<LinkCost> link;     // as a ring measured it
    std::string doubt;                // doubtOf() its calibration
    bool preferred = false;           // used before newer ones
};

// A finished run whose steps were timed by a real clock.
struct TimedRun {
    Settings step;           // settings that the time of a local step depends on
    double stepSeconds = 0;  // without waiting
    std::int64_t steps = 0;  // number of steps averaged over
    std::string workers;
    std::string run, algorithm;
    double measured = 0;
};
// Newest first; older ones are left out if there are many. Probes are left out, as their steps are not ordinary, and
// runs that compress, as coding is part of their steps.
[[nodiscard]] std::vector<TimedRun> timedRuns(const std::vector<storage::RunRow>& rows);

// The newest finished run of some settings, by what a step computed in it.
struct OwnSteps {
    std::string key;           // stepKey() of the settings
    double stepSeconds = 0;    // median over its clean steps and ranks
    double backwardShare = 0;  // median share of the backward pass
    std::int64_t steps = 0;    // number of clean steps, over all ranks
    std::string run, algorithm;
    double measured = 0;
};

// All measurements and declarations that a forecast uses.
struct ForecastSources {
    std::vector<OwnSteps> own = {};
    std::vector<TimedRun> runs;
    std::vector<KnownCalibration> calibrations;
    std::vector<AlgorithmInfo> algorithms;
    double now = 0;
};

struct StepTime {
    double seconds = 0, forwardShare = 0, contention = 0;
    std::string from;    // "calibration lenet-2, 3 h old, mean of 43 steps"; "dasgd run r1, 3 h old, median of 43 …"
    std::string run;     // id of the run that measured it; "" if none did
    bool given = false;  // set by the text of a simulated cluster, not measured
};
// By a calibration that the user prefers; else a finished run of the same algorithm and settings, whose steps computed
// beside the same transfers, so that there is no contention to add; else another calibration; else any run that
// computes the same step. Errors, with a remedy: the step was never measured, or no formula covers a setting of the
// text.
[[nodiscard]] Result<StepTime> stepTimeOf(const Settings& planned, const ForecastSources& sources);

struct AverageTime {
    ExchangeSeconds exchange;  // a single worker's transfers take 0 seconds
    double bytes = 0;          // that leave a worker in one exchange: the weights, or its messages
    bool codingKnown = true;   // false: coding is left out, as the rate of memory is not known
    std::string from;          // "ring over the emulated 100 Mbps, 0.1 ms"
    std::string doubt;         // "Calibration lenet-2: no link fits …", sentences; "" where nothing is known to
                               // make it wrong
};
// Bytes of the weights of a planned run.
[[nodiscard]] double weightBytesOf(const Settings& planned, std::int64_t parameters);
// Time of one exchange of `round` for a model with `parameters` weights. Errors: no link is known, or no formula for
// it.
[[nodiscard]] Result<AverageTime> averageTimeOf(const Settings& planned, std::int64_t parameters,
                                                const ForecastSources& sources, const CommunicationRound& round = {});

// Settings of the model, the batch and the process that the time of a local step depends on; those of the link.
[[nodiscard]] Settings stepSettings(const Settings& settings);
[[nodiscard]] Settings linkSettings(const Settings& settings);
// True if T_c or T_m depends on the setting. For an algorithm's own fields its communication pattern decides.
[[nodiscard]] bool forecastReads(const std::string& key);

// Value of the key; "" if the settings lack it.
[[nodiscard]] std::string settingOf(const Settings& settings, const std::string& key);
[[nodiscard]] std::optional<double> numberIn(const Settings& settings, const std::string& key);

}  // namespace dasgd::experiments
