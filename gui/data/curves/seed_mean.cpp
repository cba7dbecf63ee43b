#include "gui/data/curves/seed_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/analysis/statistics.h"

namespace dasgd::gui {

namespace {

constexpr double kMostWindows = 200;
// Below this share of common steps, a mean step by step would jump between one run and several.
constexpr double kLeastShared = 0.9;
// Windows wider than nearly all gaps between records by this factor are rarely empty.
constexpr double kWindowPerGap = 1.5;
constexpr double kUsualGaps = 0.95;

// Records of one run that make one value of a point.
struct Gathered {
    int n = 0;
    double x = 0, value = 0;
    void add(double atX, double recorded) {
        ++n;
        x += (atX - x) / n;
        value += (recorded - value) / n;
    }
};

// A point of the mean, with one value of each run in it.
struct SeedPoint {
    double x = 0;
    std::vector<double> values;
    void add(const Gathered& run) {
        values.push_back(run.value);
        x += (run.x - x) / static_cast<double>(values.size());
    }
};

void append(SeedMean& out, const SeedPoint& point) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Sample sample = meanAndStd(point.values);
    const bool isFinite = sample.n == point.values.size();
    out.mean.x.push_back(point.x);
    out.mean.y.push_back(isFinite ? sample.mean : kNan);
    out.deviation.push_back(isFinite ? sample.std.value_or(kNan) : kNan);
    out.n.push_back(static_cast<int>(point.values.size()));
}

// Adds the mean of the runs' ends, unless the mean of windows or steps ends there.
void appendEnd(SeedMean& out, std::span<const Series* const> runs, XAxis axis) {
    SeedPoint end;
    out.firstEnd = std::numeric_limits<double>::max();
    for (const Series* run : runs) {
        const Polyline line = sortedByX(polylineOf(*run, axis));
        if (line.x.empty()) continue;
        end.add({1, line.x.back(), line.y.back()});
        out.firstEnd = std::min(out.firstEnd, line.x.back());
        out.lastEnd = std::max(out.lastEnd, line.x.back());
    }
    if (!out.mean.x.empty() && end.x > out.mean.x.back()) append(out, end);
}

bool recordedTogether(std::span<const Series* const> runs) {
    std::map<std::int64_t, std::size_t> holders;
    for (const Series* run : runs) {
        for (const SeriesPoint& point : run->points()) ++holders[point.step];
    }
    return std::all_of(runs.begin(), runs.end(), [&](const Series* run) {
        const auto shared = std::count_if(run->points().begin(), run->points().end(),
                                          [&](const SeriesPoint& point) { return holders[point.step] == runs.size(); });
        return static_cast<double>(shared) >= kLeastShared * static_cast<double>(run->points().size());
    });
}

SeedMean ofOne(const Series& run, XAxis axis) {
    SeedMean out{.mean = sortedByX(polylineOf(run, axis))};
    out.deviation.assign(out.mean.x.size(), std::numeric_limits<double>::quiet_NaN());
    out.n.assign(out.mean.x.size(), 1);
    if (!out.mean.x.empty()) out.firstEnd = out.lastEnd = out.mean.x.back();
    return out;
}

SeedMean meanByStep(std::span<const Series* const> runs, XAxis axis) {
    std::map<std::int64_t, SeedPoint> steps;
    std::map<std::int64_t, std::size_t> begun;  // number of runs that have their first record at a step
    std::int64_t end = std::numeric_limits<std::int64_t>::max();  // of the run that ends first
    for (const Series* run : runs) {
        const Polyline line = polylineOf(*run, axis);
        std::map<std::int64_t, Gathered> own;  // of one step, of which there may be several records
        for (std::size_t i = 0; i < line.x.size(); ++i) own[run->points()[i].step].add(line.x[i], line.y[i]);
        for (const auto& [step, record] : own) steps[step].add(record);
        if (own.empty()) continue;
        ++begun[own.begin()->first];
        end = std::min(end, own.rbegin()->first);
    }
    SeedMean out;
    std::size_t running = 0;
    for (const auto& [step, point] : steps) {
        if (const auto first = begun.find(step); first != begun.end()) running += first->second;
        // A step that a running run did not record is left out, as the mean would jump to that of the other runs.
        if (step > end) break;
        if (point.values.size() == running) {
            append(out, point);
        } else {
            out.cut = true;
        }
    }
    return out;
}

double windowFor(const std::vector<Polyline>& lines) {
    double usual = 0, widest = 0, end = 0;
    for (const Polyline& line : lines) {
        std::vector<double> gaps;
        double before = 0;
        for (const double x : line.x) {
            gaps.push_back(x - before);
            before = x;
        }
        if (gaps.empty()) continue;
        std::sort(gaps.begin(), gaps.end());
        const auto place = static_cast<std::size_t>(kUsualGaps * static_cast<double>(gaps.size() - 1));
        usual = std::max(usual, gaps[place]);
        widest = std::max(widest, gaps.back());
        end = std::max(end, line.x.back());
    }
    return std::max(end / kMostWindows, std::min(widest, kWindowPerGap * usual));
}

// A record of a run, stored by the window that it lies in.
struct WindowedRecord {
    std::size_t run;
    double x, y;
};
using Windows = std::map<std::int64_t, std::vector<WindowedRecord>>;

SeedMean meanByWindow(std::span<const Series* const> runs, XAxis axis) {
    std::vector<Polyline> lines;
    for (const Series* run : runs) lines.push_back(polylineOf(*run, axis));
    std::erase_if(lines, [](const Polyline& line) { return line.x.empty(); });
    SeedMean out{.window = windowFor(lines)};
    if (!(out.window > 0)) return meanByStep(runs, axis);
    Windows windows;
    // After the end of the run that ends first the remaining runs have another mean.
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
    for (std::size_t run = 0; run < lines.size(); ++run) {
        const Polyline& line = lines[run];
        std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            // A record describes the time before it, so a window includes its end and excludes its beginning.
            const auto window = static_cast<std::int64_t>(std::ceil(line.x[i] / out.window * (1 - 1e-12)));
            windows[window].push_back({run, line.x[i], line.y[i]});
            begin = std::min(begin, window);
            end = std::max(end, window);
        }
        first = std::max(first, begin);
        last = std::min(last, end);
    }
    // Runs record at different times, and a mean of those that happen to record would jump between single runs, so a
    // window grows until it has a record of each run. It does not grow over a pause of all of them.
    std::vector<Gathered> own(lines.size());
    std::size_t lacking = own.size();
    const auto restart = [&] {
        own.assign(lines.size(), {});
        lacking = own.size();
    };
    std::int64_t before = first - 1;
    for (const auto& [window, records] : windows) {
        if (window > last) break;
        if (window < first) {
            out.cut = true;
            continue;
        }
        if (window > before + 1 && lacking < own.size()) {
            out.cut = true;
            restart();
        }
        before = window;
        for (const WindowedRecord& record : records) {
            if (own[record.run].n == 0) --lacking;
            own[record.run].add(record.x, record.y);
        }
        if (lacking > 0) continue;
        SeedPoint point;
        for (const Gathered& run : own) point.add(run);
        append(out, point);
        restart();
    }
    out.cut = out.cut || lacking < own.size();
    return out;
}

}  // namespace

int SeedMean::fewest() const { return n.empty() ? 0 : *std::min_element(n.begin(), n.end()); }
int SeedMean::most() const { return n.empty() ? 0 : *std::max_element(n.begin(), n.end()); }

QString nothingSharedInWords(XAxis axis) {
    const QString words = QStringLiteral("seeds have no stretch of %1 in common");
    const QString elsewhere = QStringLiteral(" (over steps or samples they can be compared)");
    switch (axis) {
        case XAxis::Step: return words.arg(QStringLiteral("steps"));
        case XAxis::Epoch: return words.arg(QStringLiteral("epochs"));
        case XAxis::Samples: return words.arg(QStringLiteral("samples"));
        case XAxis::Wall:
        case XAxis::Training: return words.arg(QStringLiteral("time")) + elsewhere;
        case XAxis::BytesSent: return words.arg(QStringLiteral("bytes sent")) + elsewhere;
    }
    return {};
}

SeedMean seedMean(std::span<const Series* const> runs, XAxis axis) {
    if (runs.size() == 1) return ofOne(*runs.front(), axis);
    const bool byStep = std::ranges::all_of(runs, [](const Series* run) { return run->along() == Along::Steps; });
    const bool followsStep = axis == XAxis::Step || axis == XAxis::Epoch || axis == XAxis::Samples;
    SeedMean out = byStep && followsStep && recordedTogether(runs) ? meanByStep(runs, axis) : meanByWindow(runs, axis);
    appendEnd(out, runs, axis);
    return out;
}

Series upToStep(const Series& series, std::int64_t step) {
    std::vector<storage::MetricSample> samples;
    for (const SeriesPoint& point : series.points()) {
        if (point.step > step) break;
        samples.push_back({.step = point.step,
                           .epoch = point.epoch,
                           .wallS = point.wallS,
                           .samples = point.samples,
                           .bytesSent = static_cast<std::int64_t>(point.bytesSent),
                           .value = point.value});
    }
    Series cut(series.along());
    cut.add(samples);
    return cut;
}

}  // namespace dasgd::gui
