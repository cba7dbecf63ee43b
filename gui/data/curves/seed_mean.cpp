#include "gui/data/curves/seed_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace dasgd::gui {

namespace {

constexpr double kMostWindows = 200;
// Below this share of common steps, a mean step by step would jump between one run and several.
constexpr double kLeastShared = 0.9;
// Windows wider than nearly all gaps between records by this factor are rarely empty.
constexpr double kWindowPerGap = 1.5;
constexpr double kUsualGaps = 0.95;

// Welford's update: no cancellation for losses that differ in the last digits.
struct Spread {
    int n = 0;
    double x = 0, mean = 0, squares = 0;
    void add(double atX, double value) {
        ++n;
        const double delta = value - mean;
        mean += delta / n;
        squares += delta * (value - mean);
        x += (atX - x) / n;
    }
};

void append(SeedMean& out, const Spread& point) {
    out.mean.x.push_back(point.x);
    out.mean.y.push_back(point.mean);
    out.deviation.push_back(point.n > 1 ? std::sqrt(point.squares / (point.n - 1))
                                        : std::numeric_limits<double>::quiet_NaN());
    out.n.push_back(point.n);
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
    SeedMean out;
    const Polyline line = sortedByX(polylineOf(run, axis));
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        Spread point;
        point.add(line.x[i], line.y[i]);
        append(out, point);
    }
    return out;
}

SeedMean meanByStep(std::span<const Series* const> runs, XAxis axis) {
    std::map<std::int64_t, Spread> steps;
    std::map<std::int64_t, int> begun, ended;  // at a step: how many runs have their first, their last record there
    for (const Series* run : runs) {
        const Polyline line = polylineOf(*run, axis);
        std::map<std::int64_t, Spread> own;  // of one step, of which there may be several records
        for (std::size_t i = 0; i < line.x.size(); ++i) own[run->points()[i].step].add(line.x[i], line.y[i]);
        for (const auto& [step, point] : own) steps[step].add(point.x, point.mean);
        if (own.empty()) continue;
        ++begun[own.begin()->first];
        ++ended[own.rbegin()->first];
    }
    SeedMean out;
    int running = 0;
    for (const auto& [step, point] : steps) {
        if (const auto first = begun.find(step); first != begun.end()) running += first->second;
        // A step that a running run did not record is left out, as the mean would jump to that of the other runs.
        if (point.n == running) {
            append(out, point);
        } else {
            out.cut = true;
        }
        if (const auto last = ended.find(step); last != ended.end()) running -= last->second;
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
    // The mean ends with the run that ends first: the remaining runs have another mean.
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
    std::vector<Spread> own(lines.size());
    std::size_t lacking = own.size();
    const auto restart = [&] {
        own.assign(lines.size(), {});
        lacking = own.size();
    };
    std::int64_t before = first - 1;
    for (const auto& [window, records] : windows) {
        if (window < first || window > last) {
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
        Spread point;
        for (const Spread& run : own) point.add(run.x, run.mean);
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
    return byStep && followsStep && recordedTogether(runs) ? meanByStep(runs, axis) : meanByWindow(runs, axis);
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
