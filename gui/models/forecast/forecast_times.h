// T_c of a local step and T_m of an average of a planned run, and where each is from: a calibration, a recorded run, or
// the run's own text where its cluster is simulated. Pure; any thread.
#pragma once

#include <QDateTime>
#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/configuration.h"
#include "core/base/result.h"
#include "core/cost/cost.h"
#include "gui/models/experiment/dry_run.h"
#include "gui/models/experiment/schema.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// What `dasgd calibrate` measured, and what of.
struct KnownCalibration {
    QString name;  // of its report
    QString run;
    QDateTime measured;
    Settings config;  // of the run that measured
    double stepSeconds = 0, backwardShare = 0, contention = 0;
    qint64 steps = 0;              // that T_c is the mean of, over all ranks
    std::optional<LinkCost> link;  // as a ring saw it
    QString warning;               // ReportContent's: how far the link is off what was timed; "" where it fits
    bool preferred = false;        // goes before newer ones
};

// A finished run whose steps were timed by a real clock.
struct TimedRun {
    Settings step;           // what the time of a local step depends on
    double stepSeconds = 0;  // waiting left out
    qint64 steps = 0;        // that it is the mean of
    std::string workers;
    QString run, algorithm;
    QDateTime measured;
};
// The newest of them first; older ones are left out where there are many. A probe's steps are no ordinary ones.
[[nodiscard]] std::vector<TimedRun> timedRuns(std::span<const RunItemPtr> runs);

// What there is to forecast from.
struct ForecastSources {
    std::vector<TimedRun> runs;
    std::vector<KnownCalibration> calibrations;
    std::vector<SchemaPlugin> algorithms;  // what `dasgd describe` says of them
    QDateTime now;
};

struct StepTime {
    double seconds = 0, forwardShare = 0, contention = 0;
    QString from;        // "calibration lenet-2, 3 h old, mean of 43 steps"
    QString run;         // that measured it; "" where none did
    bool given = false;  // by the text of a simulated cluster: nothing was measured
};
// Errors: nobody has measured this step, or no formula covers what the text does to it; the remedy.
[[nodiscard]] Result<StepTime> stepTimeOf(const Settings& planned, const ForecastSources& sources);

struct AverageTime {
    double seconds = 0, bytes = 0;  // of one exchange; 0 seconds of one worker alone
    QString from;                   // "ring over the emulated 100 Mbps, 0.1 ms"
    QString doubt;                  // "Calibration lenet-2: no link fits …", sentences; "" where nothing is known to
                                    // make it wrong
};
// Of one exchange of `round`, of a model of so many `parameters`. Errors: no link is known, or no formula for it.
[[nodiscard]] Result<AverageTime> averageTimeOf(const Settings& planned, qint64 parameters,
                                                const ForecastSources& sources, const CommunicationRound& round = {});

// Whether T_c or T_m depend on the setting. Which of its own fields an algorithm depends on, its pattern says.
[[nodiscard]] bool forecastReads(const std::string& key);

// "" where the settings have no such key.
[[nodiscard]] std::string settingOf(const Settings& settings, const std::string& key);
[[nodiscard]] std::optional<double> numberIn(const Settings& settings, const std::string& key);

}  // namespace dasgd::gui
