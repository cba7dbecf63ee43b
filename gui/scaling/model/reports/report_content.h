// The result of a report prepared for display: figures with units, tables, the points of the link fit, notes. Computed
// from the command's JSON; a number missing there is absent here. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "core/cost/cost.h"
#include "gui/scaling/model/reports/report.h"

namespace dasgd::gui {

struct ReportFigure {
    QString label, number, unit, help;
};

struct ReportRow {
    QStringList cells;
    bool marked = false;  // recommended
    QString settings;     // its [algorithm] as a TOML table; "" if there is none to apply
    QStringList runs;
};

struct ReportTable {
    QStringList headers;
    std::vector<ReportRow> rows;
};

// A timed collective, with the time predicted by the fitted link.
struct FitPoint {
    bool gathers = false;  // an all-gather, else an all-reduce
    double bytes = 0, seconds = 0, fitted = 0;
};

struct ReportContent {
    QString heading;  // "Calibration of first-light"
    QString basis;    // "measured, the link emulated: 400 Mbps, 0.1 ms", "time simulated on the virtual cluster"
    std::vector<ReportFigure> figures;
    ReportTable table;
    ReportTable formulas;  // times computed by formula, without runs
    std::vector<FitPoint> fit;
    QString warning;  // why forecasts based on it may be wrong; "" if nothing is known
    QStringList notes;
};

// Returns the resolved TOML of a recorded run; "" if it is not known.
using ConfigOf = std::function<std::string(const QString& run)>;
[[nodiscard]] ReportContent contentOf(const Report& report, const ConfigOf& configOf);

// True if the configuration of the result's run is known; for a calibration its basis is known then too.
[[nodiscard]] bool isRunKnown(const Report& report, const ConfigOf& configOf);

}  // namespace dasgd::gui
