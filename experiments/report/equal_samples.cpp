#include "experiments/report/equal_samples.h"
#include "core/base/metric_names.h"

#include <algorithm>
#include <cmath>

namespace dasgd::experiments {

EvaluationCurve::EvaluationCurve(const std::vector<storage::MetricSample>& evaluations) {
    for (const storage::MetricSample& each : evaluations) {
        if (std::isfinite(each.value)) points_.push_back({each.samples, each.value});
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

Result<RunCurves> curvesOf(storage::RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const auto losses, reader.metrics({.runId = runId, .name = metrics::kEvalLoss}));
    DASGD_ASSIGN(const auto accuracies, reader.metrics({.runId = runId, .name = metrics::kEvalAccuracy}));
    return RunCurves{runId, EvaluationCurve(losses.samples), EvaluationCurve(accuracies.samples)};
}

std::optional<std::int64_t> commonSamples(const std::vector<RunCurves>& runs) {
    std::optional<std::int64_t> common;
    for (const RunCurves& run : runs) {
        const std::int64_t last = run.loss.lastSamples();
        if (last > 0) common = std::min(common.value_or(last), last);
    }
    return common;
}

ResultAtSamples resultAt(const RunCurves& run, std::int64_t samples) {
    return {.loss = run.loss.at(samples),
            .accuracy = run.accuracy.at(samples),
            .bestAccuracy = run.accuracy.largestUpTo(samples)};
}

}  // namespace dasgd::experiments
