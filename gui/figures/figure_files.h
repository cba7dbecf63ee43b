// Text files of a bundle: CSV and JSON, with names that are data escaped as such.
#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "gui/models/live/curve.h"
#include "gui/models/runs/run_item.h"
#include "gui/plots/plot_view.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// A field of a CSV file, quoted; a name that begins like a formula stays a text in spreadsheets.
[[nodiscard]] QString csvField(QString text);
// With nine digits; "" of an absent one.
[[nodiscard]] QString csvNumber(const std::optional<double>& value);
// One row a point: the curve's name, x, y, half the width of its band and the number of runs where there are such, and
// what was left out; with a header line. `band` names the column: "std".
[[nodiscard]] QString curvesCsv(const std::vector<Curve>& curves, const PlotAxes& axes, const QString& band);
// One row a span.
[[nodiscard]] QString spansCsv(const std::vector<storage::SpanRow>& spans);
// What figure.json says of a run.
[[nodiscard]] QJsonObject provenanceOf(const RunItem& run);

// Whole or not at all. Errors: a file that cannot be written.
[[nodiscard]] Status writeText(const QString& text, const QString& file);
[[nodiscard]] Status writeJsonFile(const QJsonObject& object, const QString& file);

}  // namespace dasgd::gui
