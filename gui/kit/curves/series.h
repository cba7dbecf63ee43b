// A metric over the course of a run, prepared for drawing: averaged over ranks, over any x axis, smoothed, thinned
// without losing peaks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/read/metric_reader.h"

namespace dasgd::gui {

enum class XAxis {
    Step,
    Epoch,
    Wall,  // s since the run began, start-up and evaluations included
    Samples,
    BytesSent,
    Training  // for series on training time (gui/data/curves/training_time.h)
};

struct SeriesPoint {
    std::int64_t step = 0;
    double epoch = 0, wallS = 0;  // wallS: of the latest rank, in s; training time in a series on training time
    std::int64_t samples = 0;
    double bytesSent = 0;  // mean over the ranks
    double value = 0;      // mean over the ranks, or the record of the whole run
    int ranks = 0;         // number of ranks in the mean; 0: a record of the whole run
};

[[nodiscard]] double xOf(const SeriesPoint& point, XAxis axis);

// Key that joins records of several ranks into one point: their step, or the instant at which they were taken.
enum class Along { Steps, Time };
[[nodiscard]] Along alongOf(std::string_view metric);

// Points sorted by step or time, one each. Samples may be added in any order, and those of a point separately.
class Series {
public:
    Series() = default;
    explicit Series(Along along) : along_(along) {}
    [[nodiscard]] Along along() const { return along_; }
    void add(std::span<const storage::MetricSample> samples);
    [[nodiscard]] const std::vector<SeriesPoint>& points() const { return points_; }
    [[nodiscard]] bool empty() const { return points_.empty(); }
    // Number of samples added; a cached result for a series with as many samples is still valid.
    [[nodiscard]] std::size_t samples() const { return samples_; }

private:
    // Negative, 0 or positive: the point lies before, at or after the sample.
    [[nodiscard]] int compare(const SeriesPoint& point, const storage::MetricSample& sample) const;

    Along along_ = Along::Steps;
    std::vector<SeriesPoint> points_;
    std::size_t samples_ = 0;
};

struct Polyline {
    std::vector<double> x, y;
};

// NaN values stay NaN and make a gap in the curve.
[[nodiscard]] Polyline polylineOf(const Series& series, XAxis axis);
// Exponential moving average with the bias of its start removed; weight 0 changes nothing. NaN and ±Inf are passed
// through and do not enter the average.
[[nodiscard]] std::vector<double> smoothed(const std::vector<double>& y, double weight);
// The values without the lowest and highest tenth, for the range of an axis: peaks of the raw curve may exceed it.
[[nodiscard]] std::vector<double> bulkOf(const std::vector<double>& values);
// Last smoothed value, computed from the points that still have weight; nullopt for an empty series.
[[nodiscard]] std::optional<double> newestSmoothed(const Series& series, double weight);
// The series with smoothed values, each multiplied by `scale`.
[[nodiscard]] Series smoothed(const Series& series, double weight, double scale = 1);
// Sorts by x: points taken at instants may not rise on another axis, as ranks are some steps apart.
[[nodiscard]] Polyline sortedByX(Polyline line);
// At most about 2·buckets points: the smallest and the largest in each bucket of x, in their order. For drawing only.
[[nodiscard]] Polyline thinned(const Polyline& line, std::size_t buckets);

}  // namespace dasgd::gui
