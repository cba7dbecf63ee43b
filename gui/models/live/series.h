// A metric over the course of a run, as it is drawn: ranks averaged, any x axis, smoothed, thinned without losing
// peaks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/run_reader.h"

namespace dasgd::gui {

enum class XAxis {
    Step,
    Epoch,
    Wall,  // since the run began: start-up and evaluations count
    Samples,
    BytesSent,
    Training  // of a series that is on training time (gui/models/curves/training_time.h)
};

struct SeriesPoint {
    std::int64_t step = 0;
    double epoch = 0, wallS = 0;  // wallS: of the latest rank; of a series on training time, seconds of that
    std::int64_t samples = 0;
    double bytesSent = 0;  // mean over the ranks
    double value = 0;      // mean over the ranks; of a record of the whole run, that record
    int ranks = 0;         // how many made the mean; 0: a record of the whole run
};

[[nodiscard]] double xOf(const SeriesPoint& point, XAxis axis);

// What makes records of several ranks one point: the step that they are of, or the instant that they were taken at.
enum class Along { Steps, Time };
[[nodiscard]] Along alongOf(std::string_view metric);

// Sorted by step or time, one point each. Samples may come in any order, and ranks apart from each other.
class Series {
public:
    Series() = default;
    explicit Series(Along along) : along_(along) {}
    [[nodiscard]] Along along() const { return along_; }
    void add(std::span<const storage::MetricSample> samples);
    [[nodiscard]] const std::vector<SeriesPoint>& points() const { return points_; }
    [[nodiscard]] bool empty() const { return points_.empty(); }
    // How many samples it was made of: what was formed from a series of as many still holds.
    [[nodiscard]] std::size_t samples() const { return samples_; }

private:
    // Below 0, 0, above 0: the point lies before, at, after the sample.
    [[nodiscard]] int compare(const SeriesPoint& point, const storage::MetricSample& sample) const;

    Along along_ = Along::Steps;
    std::vector<SeriesPoint> points_;
    std::size_t samples_ = 0;
};

struct Polyline {
    std::vector<double> x, y;
};

// NaN values stay NaN: a gap in the curve.
[[nodiscard]] Polyline polylineOf(const Series& series, XAxis axis);
// Exponential moving average with the start's bias taken out; weight 0 changes nothing. NaN and ±Inf pass through and
// leave the average as it was.
[[nodiscard]] std::vector<double> smoothed(const std::vector<double>& y, double weight);
// The values without the lowest and highest tenth: the raw curve's peaks may leave the picture, its bulk may not.
[[nodiscard]] std::vector<double> bulkOf(const std::vector<double>& values);
// The last of such values, by the points that still count for it; nullopt of an empty series.
[[nodiscard]] std::optional<double> newestSmoothed(const Series& series, double weight);
// The series of such values, each multiplied by `scale`.
[[nodiscard]] Series smoothed(const Series& series, double weight, double scale = 1);
// Points that are taken at instants need not rise on another axis: ranks are a few steps apart.
[[nodiscard]] Polyline sortedByX(Polyline line);
// At most about 2·buckets points: the smallest and the largest of each bucket of x, in their order. For drawing only.
[[nodiscard]] Polyline thinned(const Polyline& line, std::size_t buckets);

}  // namespace dasgd::gui
