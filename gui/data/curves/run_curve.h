// A recorded metric as a curve of a chart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/data/curves/metric_words.h"
#include "gui/kit/curves/curve.h"

namespace dasgd::gui {

// Settings that all curves of a chart share.
struct CurveShape {
    XAxis axis = XAxis::Step;
    double scale = 1;      // factor for the values
    double smoothing = 0;  // weight of the moving average; the raw values are drawn behind it
    std::size_t buckets = 700;
    bool operator==(const CurveShape&) const = default;
};

[[nodiscard]] Curve curveOf(const Series& series, const CurveShape& shape);

// A horizontal line at `value` over the range of x of the others; an empty curve where they are empty.
[[nodiscard]] Curve guideAt(double value, const std::vector<Curve>& others, const QString& name);

// One curve of the metric per rank, for the first `most` ranks. Ranks differ in colour, dash and marker while there are
// enough combinations.
[[nodiscard]] std::vector<Curve> rankCurves(const std::string& metric, const std::map<int, Series>& ranks,
                                            const CurveShape& shape, std::size_t most = 64);

}  // namespace dasgd::gui
