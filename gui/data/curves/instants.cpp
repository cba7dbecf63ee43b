#include "gui/data/curves/instants.h"

#include <algorithm>
#include <cmath>

namespace dasgd::gui {

namespace {

constexpr double kNsPerS = 1e9;
constexpr double kBeforeTraining = -1;

bool countsWhole(XAxis axis) { return axis == XAxis::Step || axis == XAxis::Samples; }

// Rounded to whole nanoseconds, so that an answer of instantAtX() compares equal to its point.
Ns instantOf(const SeriesPoint& point) { return static_cast<Ns>(std::llround(point.wallS * kNsPerS)); }

}  // namespace

std::optional<double> xAtInstant(const std::vector<SeriesPoint>& points, Ns at, XAxis axis,
                                 const std::optional<TrainingClock>& clock) {
    if (axis == XAxis::Training) return clock ? clock->at(static_cast<double>(at) / kNsPerS) : std::nullopt;
    if (axis == XAxis::Wall) return static_cast<double>(at) / kNsPerS;
    const auto next = std::ranges::lower_bound(points, at, {}, instantOf);
    if (next == points.end()) return std::nullopt;
    const double right = xOf(*next, axis);
    if (instantOf(*next) == at) return right;
    if (next == points.begin()) return std::nullopt;
    const double left = xOf(*(next - 1), axis);
    const Ns before = instantOf(*(next - 1));
    const double passed = static_cast<double>(at - before) / static_cast<double>(instantOf(*next) - before);
    const double x = left + (right - left) * passed;
    return countsWhole(axis) ? std::ceil(x) : x;
}

std::optional<Ns> instantAtX(const std::vector<SeriesPoint>& points, double x, XAxis axis,
                             const std::optional<TrainingClock>& clock) {
    if (axis == XAxis::Wall) return static_cast<Ns>(std::llround(x * kNsPerS));
    if (axis == XAxis::Training && !clock) return std::nullopt;
    // Records from before the first step have no training time and sort first.
    const auto at = std::ranges::lower_bound(points, x, {}, [&](const SeriesPoint& point) {
        return axis == XAxis::Training ? clock->at(point.wallS).value_or(kBeforeTraining) : xOf(point, axis);
    });
    if (at == points.end()) return std::nullopt;
    return instantOf(*at);
}

void placeAmong(const std::vector<SeriesPoint>& points, storage::MetricSample& record) {
    if (points.empty()) return;
    const auto next = std::ranges::lower_bound(points, record.wallS, {}, &SeriesPoint::wallS);
    const SeriesPoint& right = next == points.end() ? points.back() : *next;
    const SeriesPoint& left = next == points.begin() || next == points.end() ? right : *(next - 1);
    const double passed = right.wallS > left.wallS ? (record.wallS - left.wallS) / (right.wallS - left.wallS) : 1;
    // Where workers share the work, the steps of a fast one are more than the run's.
    record.step = std::min(record.step, right.step + 1);
    record.epoch = std::lerp(left.epoch, right.epoch, passed);
    record.samples =
        std::llround(std::lerp(static_cast<double>(left.samples), static_cast<double>(right.samples), passed));
    record.bytesSent = std::llround(std::lerp(left.bytesSent, right.bytesSent, passed));
}

}  // namespace dasgd::gui
