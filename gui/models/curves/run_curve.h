// A recorded metric as a curve of a chart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/models/curves/metric_words.h"
#include "gui/models/live/curve.h"

namespace dasgd::gui {

// How the curves of a chart are made.
struct CurveShape {
    XAxis axis = XAxis::Step;
    double scale = 1;      // of the values
    double smoothing = 0;  // weight of the moving average; the values stay behind it
    std::size_t buckets = 700;
    bool operator==(const CurveShape&) const = default;
};

[[nodiscard]] Curve curveOf(const Series& series, const CurveShape& shape);

// A line from end to end of the others, at `value`; nothing where they are empty.
[[nodiscard]] Curve guideAt(double value, const std::vector<Curve>& others, const QString& name);

// One curve of the metric a rank, of at most `most` ranks: the first ones. Ranks differ in colour, dash and marker as
// far as there are such.
[[nodiscard]] std::vector<Curve> rankCurves(const std::string& metric, const std::map<int, Series>& ranks,
                                            const CurveShape& shape, std::size_t most = 64);

}  // namespace dasgd::gui
