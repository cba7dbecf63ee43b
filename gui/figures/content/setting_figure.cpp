#include "gui/figures/content/setting_figure.h"

#include <QRegularExpression>
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "gui/compare/pictures/compare_pictures.h"
#include "gui/data/curves/spread.h"
#include "gui/data/runs/compare.h"
#include "gui/figures/model/figure_runs.h"

namespace dasgd::gui {

namespace {

constexpr double kLogSpan = 8;  // an axis over a wider range of values is logarithmic

struct Point {
    double x = 0;
    std::size_t group = 0;
    Sample sample;
};

// Configurations that differ in the setting alone.
struct OverCurve {
    std::string key;
    bool simulated = false;
    std::vector<Point> points;
};

OverCurve& curveFor(std::vector<OverCurve>& curves, const std::string& key, bool simulated) {
    const auto isIt = [&](const OverCurve& one) { return one.key == key && one.simulated == simulated; };
    const auto found = std::ranges::find_if(curves, isIt);
    return found == curves.end() ? curves.emplace_back(OverCurve{key, simulated, {}}) : *found;
}

Curve curveOf(const OverCurve& from, const CompareView& view) {
    Curve curve{
        .style = view.groups()[from.points.front().group].style, .kind = Curve::Kind::Points, .hollow = from.simulated};
    bool spread = false;
    for (const Point& point : from.points) {
        const std::optional<double> half = spreadOf(point.sample, view.spread);
        curve.line.x.push_back(point.x);
        curve.line.y.push_back(point.sample.mean);
        curve.deviation.push_back(half.value_or(std::numeric_limits<double>::quiet_NaN()));
        curve.n.push_back(static_cast<int>(point.sample.n));
        spread = spread || half.value_or(0) > 0;
    }
    if (!spread) curve.deviation.clear();
    return curve;
}

FigureSource joinedSource(const OverCurve& curve, const std::vector<FigureSource>& of) {
    FigureSource source = of[curve.points.front().group];
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        const FigureSource& more = of[curve.points[i].group];
        source.runs.insert(source.runs.end(), more.runs.begin(), more.runs.end());
        source.drawn.insert(source.drawn.end(), more.drawn.begin(), more.drawn.end());
    }
    const auto [fewest, most] = std::ranges::minmax(curve.points, {}, [](const Point& one) { return one.sample.n; });
    source.n = fewest.sample.n == most.sample.n ? QString::number(most.sample.n)
                                                : QStringLiteral("%1 to %2").arg(fewest.sample.n).arg(most.sample.n);
    return source;
}

// Sources of configurations that are in no curve, with none of their runs drawn.
void keepUndrawn(const std::vector<OverCurve>& curves, const std::vector<FigureSource>& of, FigureContent& into) {
    std::set<std::size_t> drawn;
    for (const OverCurve& curve : curves) {
        for (const Point& point : curve.points) drawn.insert(point.group);
    }
    for (std::size_t group = 0; group < of.size(); ++group) {
        if (drawn.contains(group)) continue;
        into.sources.push_back(of[group]);
        into.sources.back().drawn.assign(of[group].runs.size(), false);
    }
}

bool isWide(const std::vector<Curve>& curves) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const Curve& curve : curves) {
        low = std::min(low, curve.line.x.front());
        high = std::max(high, curve.line.x.back());
    }
    return low > 0 && high / low >= kLogSpan;
}

}  // namespace

std::optional<AxisValue> axisValueOf(const std::string& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\\s*([^,]*)"));
    const QRegularExpressionMatch match = form.match(QString::fromStdString(text));
    bool isNumber = false;
    const double value = match.captured(1).toDouble(&isNumber);
    if (!match.hasMatch() || !isNumber) return std::nullopt;
    const QString unit = match.captured(2).trimmed();
    static const std::map<QString, double> kMegabits{{QStringLiteral("bps"), 1e-6},
                                                     {QStringLiteral("kbps"), 1e-3},
                                                     {QStringLiteral("Mbps"), 1},
                                                     {QStringLiteral("Gbps"), 1e3},
                                                     {QStringLiteral("Tbps"), 1e6}};
    const auto rate = kMegabits.find(unit);
    if (rate != kMegabits.end()) return AxisValue{value * rate->second, QStringLiteral("Mbit/s")};
    return AxisValue{value, unit};
}

std::string overKey(const std::vector<CompareGroup>& groups, const QString& over) {
    if (over.isEmpty()) return mapKeys(groups).columns;
    const std::string key = over.toStdString();
    for (const CompareGroup& group : groups) {
        const RunSettings& config = group.runs.front()->config;
        if (config.find(key) || !config.keys()) return key;
        for (const std::string& one : *config.keys()) {
            if (one.ends_with("." + key)) return one;
        }
    }
    return key;
}

void takeOver(const CompareView& view, const FigureSpec& spec, FigureContent& into) {
    const std::string key = overKey(view.groups(), spec.over);
    if (key.empty()) {
        into.nothing = QStringLiteral("These runs differ in no setting: name one in \"over\".");
        return;
    }
    std::vector<OverCurve> curves;
    std::optional<QString> unit;
    for (const std::size_t at : view.shown) {
        const CompareGroup& group = view.groups()[at];
        Settings rest = configurationOf(group.runs.front()->config.unpacked());
        const std::optional<AxisValue> x = axisValueOf(rest[key]);
        if (!x || x->unit != unit.value_or(x->unit)) {
            into.notes << QStringLiteral("%1: %2 is no number on this axis, no point")
                              .arg(group.name, QString::fromStdString(key));
            continue;
        }
        const Sample sample = view.row(at) ? drawnSampleOf(*view.row(at), spec.number) : Sample{};
        if (sample.n == 0) continue;
        unit = x->unit;
        rest.erase(key);
        curveFor(curves, configurationKey(rest), group.simulated()).points.push_back({x->value, at, sample});
    }
    const std::vector<FigureSource> before = std::exchange(into.sources, {});
    std::vector<RunItemPtr> firsts;
    for (OverCurve& curve : curves) {
        std::ranges::stable_sort(curve.points, {}, &Point::x);
        firsts.push_back(view.groups()[curve.points.front().group].runs.front());
    }
    const QStringList names = distinguishingNames(firsts, {key});
    for (std::size_t i = 0; i < curves.size(); ++i) {
        FigureSource source = joinedSource(curves[i], before);
        source.usualName = names[static_cast<qsizetype>(i)];
        source.name = nameOfCurves(spec.names, source.runs, source.usualName);
        into.curves.push_back(curveOf(curves[i], view));
        into.curves.back().name = source.name;
        into.sources.push_back(std::move(source));
    }
    keepUndrawn(curves, before, into);
    const QString name = keyName(view, key);
    into.axes = {.x = unit.value_or(QString()).isEmpty() ? name : QStringLiteral("%1 [%2]").arg(name, *unit),
                 .y = numberTitle(view, spec.number),
                 .log2X = isWide(into.curves)};
    if (into.curves.empty())
        into.nothing = QStringLiteral("No configuration has both %1 and a number for %2.")
                           .arg(numberTitle(view, spec.number), QString::fromStdString(key));
}

}  // namespace dasgd::gui
