#include "gui/data/curves/training_time.h"

#include <algorithm>

#include "core/base/metric_names.h"

namespace dasgd::gui {

Result<std::optional<TrainingClock>> TrainingClock::read(storage::MetricReader& reader, const storage::RunRow& row) {
    // In simulated time evaluations take no time, and nothing comes before the first step.
    if (row.timeSimulated) return std::optional(TrainingClock(std::vector<Evaluation>(1)));
    DASGD_ASSIGN(const storage::MetricAnswer answer,
                 reader.samples({.runId = row.runId, .name = metrics::kTrainedSeconds}));
    if (answer.samples.empty()) return std::optional<TrainingClock>();
    std::vector<Evaluation> evaluations;
    for (const storage::MetricSample& sample : answer.samples) evaluations.push_back({sample.wallS, sample.value});
    std::ranges::stable_sort(evaluations, {}, &Evaluation::endS);
    return std::optional(TrainingClock(std::move(evaluations)));
}

std::optional<TrainingClock> TrainingClock::of(const Series& trained, bool timeSimulated) {
    if (timeSimulated) return TrainingClock(std::vector<Evaluation>(1));
    if (trained.empty()) return std::nullopt;
    std::vector<Evaluation> evaluations;
    for (const SeriesPoint& point : trained.points()) evaluations.push_back({point.wallS, point.value});
    std::ranges::stable_sort(evaluations, {}, &Evaluation::endS);
    return TrainingClock(std::move(evaluations));
}

std::optional<double> TrainingClock::at(double wallS) const {
    const auto next = std::ranges::upper_bound(evaluations_, wallS, {}, &Evaluation::endS);
    if (next == evaluations_.begin()) {
        const double trained = next->trainedS - (next->endS - wallS);
        return trained < 0 ? std::nullopt : std::optional(trained);
    }
    const double trained = (next - 1)->trainedS + (wallS - (next - 1)->endS);
    // Training time stands still during the next evaluation.
    return next == evaluations_.end() ? trained : std::min(trained, next->trainedS);
}

Series onTrainingTime(const Series& series, const TrainingClock& clock) {
    std::vector<storage::MetricSample> samples;
    samples.reserve(series.points().size());
    for (const SeriesPoint& point : series.points()) {
        const std::optional<double> trained = clock.at(point.wallS);
        if (!trained) continue;
        samples.push_back({.step = point.step,
                           .epoch = point.epoch,
                           .wallS = *trained,
                           .samples = point.samples,
                           .bytesSent = static_cast<std::int64_t>(point.bytesSent),
                           .value = point.value});
    }
    Series out(series.along());
    out.add(samples);
    return out;
}

Result<Series> onTrainingTime(storage::MetricReader& reader, const storage::RunRow& row, const Series& series) {
    DASGD_ASSIGN(const std::optional<TrainingClock> clock, TrainingClock::read(reader, row));
    return clock ? onTrainingTime(series, *clock) : Series(series.along());
}

}  // namespace dasgd::gui
