// The result of a report as it is read: figures with their units, a table, what the link was fitted to, words. From the
// JSON of the command; a number that is missing there is absent here. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "core/cost/cost.h"
#include "gui/models/forecast/forecast_times.h"
#include "gui/models/reports/report.h"

namespace dasgd::gui {

struct ReportFigure {
    QString label, number, unit, help;
};

struct ReportRow {
    QStringList cells;
    bool marked = false;  // the one that is recommended
    QString settings;     // its [algorithm] as a TOML table; "" where there is none to take over
    QStringList runs;
};

struct ReportTable {
    QStringList headers;
    std::vector<ReportRow> rows;
};

// A collective that was timed, and what the fitted link says of it.
struct FitPoint {
    bool gathers = false;  // an all-gather, else an all-reduce
    double bytes = 0, seconds = 0, fitted = 0;
};

struct ReportContent {
    QString heading;  // "Calibration of first-light"
    QString basis;    // "measured, the link emulated: 400 Mbps, 0.1 ms", "time simulated on the virtual cluster"
    std::vector<ReportFigure> figures;
    ReportTable table;
    ReportTable formulas;  // times that were computed without any run
    std::vector<FitPoint> fit;
    QString warning;  // what makes forecasts by it wrong; "" where nothing is known to
    QStringList notes;
};

// `configOf`: the resolved TOML of a recorded run, "" where it is not known.
using ConfigOf = std::function<std::string(const QString& run)>;
[[nodiscard]] ReportContent contentOf(const Report& report, const ConfigOf& configOf);

// Whether the configuration of the run that the result stands on is known; of a calibration its basis is then too.
[[nodiscard]] bool isRunKnown(const Report& report, const ConfigOf& configOf);

// Of the finished calibrations those whose run is known; `preferred`: the name of the one that goes first.
[[nodiscard]] std::vector<KnownCalibration> knownCalibrations(const std::vector<Report>& reports,
                                                              const ConfigOf& configOf, const QString& preferred);

}  // namespace dasgd::gui
