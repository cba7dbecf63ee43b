#include "gui/kit/curves/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/metric_names.h"

namespace dasgd::gui {

namespace {

void take(SeriesPoint& point, const storage::MetricSample& sample) {
    point.epoch = sample.epoch;
    point.wallS = std::max(point.wallS, sample.wallS);
    point.samples = std::max(point.samples, sample.samples);
    if (sample.rank < 0) {
        point.value = sample.value;
        point.bytesSent = static_cast<double>(sample.bytesSent);
        point.ranks = 0;
        return;
    }
    const double n = ++point.ranks;
    point.value += (sample.value - point.value) / n;
    point.bytesSent += (static_cast<double>(sample.bytesSent) - point.bytesSent) / n;
}

}  // namespace

Along alongOf(std::string_view metric) { return metrics::isOverTime(metric) ? Along::Time : Along::Steps; }

double xOf(const SeriesPoint& point, XAxis axis) {
    switch (axis) {
        case XAxis::Step: return static_cast<double>(point.step);
        case XAxis::Epoch: return point.epoch;
        case XAxis::Wall:
        case XAxis::Training: return point.wallS;
        case XAxis::Samples: return static_cast<double>(point.samples);
        case XAxis::BytesSent: return point.bytesSent;
    }
    return 0;
}

void Series::add(std::span<const storage::MetricSample> samples) {
    samples_ += samples.size();
    for (const storage::MetricSample& sample : samples) {
        // The search starts at the end, as ranks are at most a few steps apart.
        auto at = points_.end();
        while (at != points_.begin() && compare(*(at - 1), sample) > 0) --at;
        if (at != points_.begin() && compare(*(at - 1), sample) == 0) {
            take(*(at - 1), sample);
        } else {
            take(*points_.insert(at, SeriesPoint{.step = sample.step}), sample);
        }
    }
}

int Series::compare(const SeriesPoint& point, const storage::MetricSample& sample) const {
    if (along_ == Along::Steps) return point.step < sample.step ? -1 : point.step > sample.step;
    return point.wallS < sample.wallS ? -1 : point.wallS > sample.wallS;
}

Polyline polylineOf(const Series& series, XAxis axis) {
    Polyline line;
    line.x.reserve(series.points().size());
    line.y.reserve(series.points().size());
    for (const SeriesPoint& point : series.points()) {
        line.x.push_back(xOf(point, axis));
        line.y.push_back(point.value);
    }
    return line;
}

std::vector<double> smoothed(const std::vector<double>& y, double weight) {
    if (weight <= 0) return y;
    std::vector<double> out;
    out.reserve(y.size());
    double average = 0;
    double mass = 0;
    for (const double value : y) {
        if (!std::isfinite(value)) {
            out.push_back(value);
            continue;
        }
        average = weight * average + (1 - weight) * value;
        mass = weight * mass + (1 - weight);
        out.push_back(average / mass);
    }
    return out;
}

std::optional<double> newestSmoothed(const Series& series, double weight) {
    // Older values have a weight below 1e-9.
    const auto counting = weight > 0 ? static_cast<std::size_t>(std::ceil(-9 * std::log(10.0) / std::log(weight))) : 1;
    const std::vector<SeriesPoint>& points = series.points();
    if (points.empty()) return std::nullopt;
    std::vector<double> values;
    for (std::size_t i = points.size() - std::min(counting, points.size()); i < points.size(); ++i) {
        values.push_back(points[i].value);
    }
    return smoothed(values, weight).back();
}

Series smoothed(const Series& series, double weight, double scale) {
    const std::vector<double> values = smoothed(polylineOf(series, XAxis::Step).y, weight);
    std::vector<storage::MetricSample> samples;
    samples.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const SeriesPoint& point = series.points()[i];
        samples.push_back({.step = point.step,
                           .epoch = point.epoch,
                           .wallS = point.wallS,
                           .samples = point.samples,
                           .bytesSent = static_cast<std::int64_t>(point.bytesSent),
                           .value = values[i] * scale});
    }
    Series out(series.along());
    out.add(samples);
    return out;
}

std::vector<double> bulkOf(const std::vector<double>& values) {
    std::vector<double> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
    if (sorted.empty()) return values;
    std::sort(sorted.begin(), sorted.end());
    const double low = sorted[sorted.size() / 10], high = sorted[sorted.size() - 1 - sorted.size() / 10];
    std::vector<double> bulk = values;
    for (double& value : bulk) value = std::clamp(value, low, high);
    return bulk;
}

Polyline sortedByX(Polyline line) {
    if (std::ranges::is_sorted(line.x)) return line;
    std::vector<std::size_t> order(line.x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return line.x[i]; });
    Polyline sorted;
    for (const std::size_t i : order) {
        sorted.x.push_back(line.x[i]);
        sorted.y.push_back(line.y[i]);
    }
    return sorted;
}

Polyline thinned(const Polyline& of, std::size_t buckets) {
    const Polyline line = sortedByX(of);
    const std::size_t n = line.x.size();
    if (buckets == 0 || n <= 2 * buckets) return line;
    Polyline out;
    const double low = line.x.front();
    const double width = (line.x.back() - low) / static_cast<double>(buckets);
    const auto keep = [&](std::size_t i) {
        out.x.push_back(line.x[i]);
        out.y.push_back(line.y[i]);
    };
    for (std::size_t begin = 0; begin < n;) {
        const double edge = low + width * (std::floor((line.x[begin] - low) / width) + 1);
        std::size_t least = begin, most = begin, end = begin;
        bool gap = false;
        for (; end < n && (end == begin || line.x[end] < edge); ++end) {
            if (std::isnan(line.y[end])) {
                gap = true;
                continue;
            }
            if (!(line.y[least] <= line.y[end])) least = end;
            if (!(line.y[most] >= line.y[end])) most = end;
        }
        keep(std::min(least, most));
        if (least != most) keep(std::max(least, most));
        if (gap && !std::isnan(out.y.back())) {
            out.x.push_back(line.x[end - 1]);
            out.y.push_back(std::numeric_limits<double>::quiet_NaN());
        }
        begin = end;
    }
    return out;
}

}  // namespace dasgd::gui
