// What the figures of some runs show, read from the store at once: seeds gathered, styles as in the window.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/models/live/series.h"
#include "gui/models/runs/compare.h"
#include "gui/plots/paper_figure.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Runs of one configuration.
struct FigureGroup {
    QString name;
    CurveStyle style;
    std::vector<RunItemPtr> runs;
    bool linkEmulated = false;  // of any of them
    // Of several runs only those that finished make the mean; all of them where none did.
    [[nodiscard]] bool inMean(const RunItem& run) const;
};

// `ids`: exact or unique beginnings. Errors: no such run.
[[nodiscard]] Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader, const QStringList& ids);

// One metric of each group: a curve where a group is one run, the mean and its band where it is several seeds
// (gui/models/curves/seed_mean.h). Each run is smoothed before the mean is taken. Runs that did not finish are left out
// of a mean, and the curve's note names them; where none finished, all are taken as far as all go. Groups without the
// metric give no curve.
[[nodiscard]] Result<std::vector<Curve>> figureCurves(storage::RunReader& reader,
                                                      const std::vector<FigureGroup>& groups, const std::string& metric,
                                                      XAxis axis, double smoothing);

// The figure as PDF, SVG, PNG and CSV, added to `written`.
[[nodiscard]] Status writeFigureFiles(const QString& stem, const PaperFigure& figure, QStringList& written);
// What figure.json says of a run.
[[nodiscard]] QJsonObject provenanceOf(const RunItem& run);
[[nodiscard]] Status writeJsonFile(const QJsonObject& object, const QString& file);
// A field of a CSV file, quoted; a name that begins like a formula stays a text in spreadsheets.
[[nodiscard]] QString csvField(QString text);
// One row a point: the curve's name, x, y, the standard deviation and the number of runs where there are such, and
// what was left out; with a header line.
[[nodiscard]] Status writeCurvesCsv(const std::vector<Curve>& curves, const PlotAxes& axes, const QString& file);

}  // namespace dasgd::gui
