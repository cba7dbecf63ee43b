// T_c of a local step and T_m of an average for a planned run, with their sources: a calibration, a recorded run, or
// the run's own text if its cluster is simulated. Pure; any thread.
#pragma once

#include <QDateTime>
#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "core/base/result.h"
#include "core/cost/communication_pattern.h"
#include "core/cost/cost.h"
#include "gui/data/runs/run_item.h"
#include "gui/experiment/model/document/dry_run.h"
#include "gui/experiment/model/document/schema.h"

namespace dasgd::gui {

// Results of `dasgd calibrate` and the configuration that it measured.
struct KnownCalibration {
    QString name;  // name of its report
    QString run;
    QDateTime measured;
    Settings config;  // configuration of the measured run
    double stepSeconds = 0, backwardShare = 0, contention = 0;
    qint64 steps = 0;                 // number of steps, over all ranks, that T_c is averaged over
    double memoryBytesPerSecond = 0;  // 0: not known
    std::optional<LinkCost> link;     // as a ring measured it
    QString warning;         // ReportContent's warning: deviation of the link model from the timings; "" if it fits
    bool preferred = false;  // used before newer ones
};

// A finished run whose steps were timed by a real clock.
struct TimedRun {
    Settings step;           // settings that the time of a local step depends on
    double stepSeconds = 0;  // without waiting
    qint64 steps = 0;        // number of steps averaged over
    std::string workers;
    QString run, algorithm;
    QDateTime measured;
};
// Newest first; older ones are left out if there are many. Probes are left out, as their steps are not ordinary.
[[nodiscard]] std::vector<TimedRun> timedRuns(std::span<const RunItemPtr> runs);

// All measurements and declarations that a forecast uses.
struct ForecastSources {
    std::vector<TimedRun> runs;
    std::vector<KnownCalibration> calibrations;
    std::vector<SchemaPlugin> algorithms;  // from `dasgd describe`
    QDateTime now;
};

struct StepTime {
    double seconds = 0, forwardShare = 0, contention = 0;
    QString from;        // "calibration lenet-2, 3 h old, mean of 43 steps"
    QString run;         // id of the run that measured it; "" if none did
    bool given = false;  // set by the text of a simulated cluster, not measured
};
// Errors, with a remedy: the step was never measured, or no formula covers a setting of the text.
[[nodiscard]] Result<StepTime> stepTimeOf(const Settings& planned, const ForecastSources& sources);

struct AverageTime {
    ExchangeSeconds exchange;  // a single worker's transfers take 0 seconds
    double bytes = 0;          // that leave a worker in one exchange: the weights, or its messages
    bool codingKnown = true;   // false: coding is left out, as the rate of memory is not known
    QString from;              // "ring over the emulated 100 Mbps, 0.1 ms"
    QString doubt;             // "Calibration lenet-2: no link fits …", sentences; "" where nothing is known to
                               // make it wrong
};
// Bytes of the weights of a planned run.
[[nodiscard]] double weightBytesOf(const Settings& planned, qint64 parameters);
// Time of one exchange of `round` for a model with `parameters` weights. Errors: no link is known, or no formula for
// it.
[[nodiscard]] Result<AverageTime> averageTimeOf(const Settings& planned, qint64 parameters,
                                                const ForecastSources& sources, const CommunicationRound& round = {});

// True if T_c or T_m depends on the setting. For an algorithm's own fields its communication pattern decides.
[[nodiscard]] bool forecastReads(const std::string& key);

// Value of the key; "" if the settings lack it.
[[nodiscard]] std::string settingOf(const Settings& settings, const std::string& key);
[[nodiscard]] std::optional<double> numberIn(const Settings& settings, const std::string& key);

}  // namespace dasgd::gui
