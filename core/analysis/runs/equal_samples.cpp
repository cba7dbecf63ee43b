#include "core/analysis/runs/equal_samples.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

EvaluationCurve::EvaluationCurve(const std::vector<Point>& evaluations) {
    for (const Point& each : evaluations) {
        if (std::isfinite(each.value)) points_.push_back(each);
    }
    std::ranges::stable_sort(points_, {}, &Point::samples);
}

std::optional<double> EvaluationCurve::at(std::int64_t samples) const {
    const auto after = std::ranges::lower_bound(points_, samples, {}, &Point::samples);
    if (after == points_.end() || samples < points_.front().samples) return std::nullopt;
    if (after->samples == samples) return after->value;
    const Point& before = *std::prev(after);
    const double share =
        static_cast<double>(samples - before.samples) / static_cast<double>(after->samples - before.samples);
    return before.value + share * (after->value - before.value);
}

std::optional<double> EvaluationCurve::largestUpTo(std::int64_t samples) const {
    std::optional<double> largest = at(samples);
    for (const Point& point : points_) {
        if (largest && point.samples <= samples) largest = std::max(*largest, point.value);
    }
    return largest;
}

std::optional<double> EvaluationCurve::smallestUpTo(std::int64_t samples) const {
    std::optional<double> smallest = at(samples);
    for (const Point& point : points_) {
        if (smallest && point.samples <= samples) smallest = std::min(*smallest, point.value);
    }
    return smallest;
}

std::optional<double> EvaluationCurve::lastUpTo(std::int64_t samples) const {
    if (!at(samples)) return std::nullopt;
    return std::prev(std::ranges::upper_bound(points_, samples, {}, &Point::samples))->value;
}

std::optional<std::int64_t> commonSamples(const std::vector<const EvaluationCurve*>& losses) {
    std::optional<std::int64_t> common;
    for (const EvaluationCurve* run : losses) {
        const std::int64_t last = run->lastSamples();
        if (last > 0) common = std::min(common.value_or(last), last);
    }
    return common;
}

}  // namespace dasgd
