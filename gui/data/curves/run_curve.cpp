#include "gui/data/curves/run_curve.h"

#include <algorithm>
#include <limits>

namespace dasgd::gui {

Curve curveOf(const Series& series, const CurveShape& shape) {
    Polyline raw = polylineOf(series, shape.axis);
    for (double& y : raw.y) y *= shape.scale;
    Curve curve;
    curve.line = thinned({raw.x, smoothed(raw.y, shape.smoothing)}, shape.buckets);
    if (shape.smoothing > 0) curve.raw = thinned(raw, shape.buckets);
    return curve;
}

Curve guideAt(double value, const std::vector<Curve>& others, const QString& name) {
    double left = std::numeric_limits<double>::infinity(), right = -left;
    for (const Curve& other : others) {
        if (other.line.x.empty()) continue;
        left = std::min(left, other.line.x.front());
        right = std::max(right, other.line.x.back());
    }
    Curve curve{.name = name, .kind = Curve::Kind::Guide};
    if (left < right) curve.line = {{left, right}, {value, value}};
    return curve;
}

std::vector<Curve> rankCurves(const std::string& metric, const std::map<int, Series>& ranks, const CurveShape& shape,
                              std::size_t most) {
    std::vector<Curve> curves;
    for (const auto& [rank, series] : ranks) {
        if (curves.size() == most) break;
        Curve curve = curveOf(series, shape);
        const int number = static_cast<int>(curves.size());
        const int round = number / kCurveColors;
        curve.name = whose(metric, rank);
        curve.style = {number % kCurveColors, (number + round) % kCurveColors, (number + round) % kCurveColors};
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace dasgd::gui
