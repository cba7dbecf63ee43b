// Text files of a bundle: CSV and JSON. Names of runs and curves are data and are escaped.
#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "gui/data/runs/run_item.h"
#include "gui/kit/curves/curve.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/words/csv.h"
#include "storage/read/span_reader.h"

namespace dasgd::gui {

// A header line and one row a point: the curve's name, x, y, half the width of its band and the number of runs where
// known, and the curve's note on runs left out. `band` names the fourth column: "std".
[[nodiscard]] QString curvesCsv(const std::vector<Curve>& curves, const PlotAxes& axes, const QString& band);
// CSV with a row for each span.
[[nodiscard]] QString spansCsv(const std::vector<storage::SpanRow>& spans);
// Entry of a run in figure.json.
[[nodiscard]] QJsonObject provenanceOf(const RunItem& run);

// Both write the whole file or none of it. Errors: a file that cannot be written.
[[nodiscard]] Status writeText(const QString& text, const QString& file);
[[nodiscard]] Status writeJsonFile(const QJsonObject& object, const QString& file);

}  // namespace dasgd::gui
