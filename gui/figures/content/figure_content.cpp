#include "gui/figures/content/figure_content.h"

#include <algorithm>
#include <cmath>

#include "gui/compare/model/compare_numbers.h"
#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/seed_mean.h"
#include "gui/data/runs/run_config.h"
#include "gui/figures/content/compare_figure.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/content/figure_panels.h"
#include "gui/figures/content/figure_setup.h"
#include "gui/figures/content/graph_figure.h"
#include "gui/figures/content/scaling_figure.h"
#include "gui/figures/content/timeline_runs.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/curves/smoothing.h"
#include "gui/kit/plots/paper/paper_charts.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr qsizetype kMostLeftOutNamed = 2;
constexpr qsizetype kMostKeysNamed = 8;

QString axisTitle(XAxis axis) {
    switch (axis) {
        case XAxis::Step: return QStringLiteral("local steps");
        case XAxis::Epoch: return QStringLiteral("epochs");
        case XAxis::Wall: return QStringLiteral("wall time [s]");
        case XAxis::Samples: return QStringLiteral("samples");
        case XAxis::BytesSent: return QStringLiteral("bytes sent per rank");
        case XAxis::Training: return QStringLiteral("training time [s]");
    }
    return {};
}

// Remark on an emulated link or a simulated clock, for every axis of time, whose meaning depends on them.
QString clockRemark(const std::vector<CompareGroup>& groups, bool emulated) {
    QString remark;
    if (emulated) remark += QStringLiteral(", link emulated");
    const auto simulated = std::ranges::count_if(groups, &CompareGroup::simulated);
    if (simulated == 0) return remark;
    return remark + (simulated == std::ssize(groups) ? QStringLiteral(", time simulated")
                                                     : QStringLiteral(", of hollow markers simulated"));
}

bool isMeasured(const CompareGroup& group) { return !group.simulated(); }

// Adds "(time simulated)" to the names of such curves if others are measured: legend, CSV and table show no hollow
// markers.
void nameClocks(std::vector<Curve>& curves, bool ofTime, const std::vector<CompareGroup>& groups) {
    const bool mixed = std::ranges::any_of(groups, isMeasured);
    for (Curve& curve : curves) {
        if (curve.hollow && ofTime && mixed) curve.name += QStringLiteral(" (time simulated)");
        curve.hollow = curve.hollow && ofTime;
    }
}

bool isOfTime(const QString& axis) {
    return axis.contains(QLatin1String("samples/s")) || axis.endsWith(QLatin1String("[ms]")) ||
           axis.endsWith(QLatin1String("[s]"));
}

bool isInLegend(const Curve& curve) { return !curve.line.x.empty() && curve.kind != Curve::Kind::Guide; }

QString number(double value) { return std::isfinite(value) ? shortNumber(value, 4) : kAbsent; }

// Table with a row for each curve: its last point, and its lowest and highest value.
FigureTable curveTable(const std::vector<Curve>& curves, const PlotAxes& axes) {
    FigureTable table{.columns = {QStringLiteral("configuration"), QStringLiteral("n"), axes.x, axes.y,
                                  QStringLiteral("lowest"), QStringLiteral("highest")}};
    double nearest = std::numeric_limits<double>::infinity(), farthest = -nearest;
    for (const Curve& curve : curves) {
        if (curve.line.x.empty()) {
            // A configuration without a mean still has a row.
            if (!curve.note.isEmpty())
                table.rows.push_back({curve.name, QStringLiteral("0"), kAbsent, kAbsent, kAbsent, kAbsent});
            continue;
        }
        const std::size_t last = curve.line.x.size() - 1;
        nearest = std::min(nearest, curve.line.x[last]);
        farthest = std::max(farthest, curve.line.x[last]);
        QString value = number(curve.line.y[last]);
        if (!curve.deviation.empty() && std::isfinite(curve.deviation[last]))
            value += QStringLiteral(" ± ") + number(curve.deviation[last]);
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const double y : curve.line.y) {
            if (!std::isfinite(y)) continue;
            low = std::min(low, y);
            high = std::max(high, y);
        }
        table.rows.push_back({curve.name, QString::number(curve.n.empty() ? 1 : curve.n[last]),
                              number(curve.line.x[last]), value, number(low), number(high)});
    }
    constexpr double kEqual = 1.01;
    if (farthest > nearest * kEqual) {
        table.notes << QStringLiteral("each at the mean end of its seeds in %1, not at an equal budget").arg(axes.x);
    }
    return table;
}

// Keys of the spec's names that match no source. A timeline has no curves and keeps its names for a change of kind.
QStringList unusedNamesOf(const FigureSpec& spec, const std::vector<FigureSource>& sources) {
    QStringList unused;
    for (const auto& [written, chosen] : spec.names) {
        const bool isUsed = std::ranges::any_of(sources, [&](const FigureSource& source) {
            const auto means = [&](const RunItemPtr& run) {
                return meansCurve(written, curveKey(*run), source.usualName);
            };
            return meansCurve(written, source.key, source.usualName) || std::ranges::any_of(source.runs, means);
        });
        if (!isUsed && spec.kind != FigureKind::Timeline && spec.kind != FigureKind::Graph) unused << written;
    }
    return unused;
}

Status readCurves(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
                  std::span<const RunItemPtr> all, FigureContent& into) {
    const std::vector<CompareGroup> groups = groupsApart(runs, all, spec.names);
    const MetricWords words = wordsOf(spec.metric.toStdString());
    DASGD_ASSIGN(FigureCurves made, figureCurves(reader, groups, spec));
    into.curves = std::move(made.curves);
    into.notes = made.notes;
    bool emulated = false;
    for (const CompareGroup& group : groups) {
        // The link is a setting, so all runs of a group have the same.
        DASGD_ASSIGN(const storage::RunDetail detail, reader.runs().detail(group.runs.front()->row.runId));
        emulated = emulated || detail.linkEmulated;
    }
    const QString remark = clockRemark(groups, emulated);
    into.axes = {.x = axisTitle(spec.x),
                 .y = words.axis,
                 .logY = spec.logY.value_or(words.logY),
                 .fromZero = words.fromZero,
                 .share = words.share,
                 .wholeX = spec.x == XAxis::Step || spec.x == XAxis::Samples};
    const bool overTime = spec.x == XAxis::Wall || spec.x == XAxis::Training;
    nameClocks(into.curves, overTime || isOfTime(words.axis), groups);
    if (overTime) into.axes.x += remark;
    if (isOfTime(words.axis)) into.axes.y += remark;
    into.axes.y += smoothingInWords(spec.smoothing);
    if (overTime && std::ranges::any_of(groups, isMeasured))
        into.notes << (spec.x == XAxis::Wall ? kWallClock : kTrainingClock);
    if (const QString words = bandsAtZeroInWords(into.curves, into.axes); !words.isEmpty()) into.notes << words;
    if (const auto named = std::ranges::count_if(into.curves, isInLegend); named > kMostNamed)
        into.notes
            << QStringLiteral("%1 more curves are not named; the CSV file has their names").arg(named - kMostNamed);
    into.table = curveTable(into.curves, into.axes);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const CompareGroup& group = groups[i];
        into.sources.push_back(
            {curveKey(*group.runs.front()), group.usualName, group.name, group.style, group.runs, made.taken[i]});
    }
    if (into.curves.empty()) {
        into.nothing =
            QStringLiteral("None of these runs has recorded %1%2.")
                .arg(spec.metric, spec.x == XAxis::Training ? QStringLiteral(" and ") + kNoTrainingClock : QString());
    } else if (std::ranges::all_of(into.curves, [](const Curve& curve) { return curve.line.x.empty(); })) {
        into.nothing =
            QStringLiteral("No configuration has a mean of %1: %2.").arg(spec.metric, nothingSharedInWords(spec.x));
    }
    return {};
}

// Moves the curves that the spec names to the front, in its order.
void arrange(std::vector<Curve>& curves, const QStringList& order, const std::vector<FigureSource>& sources) {
    const auto placeOf = [&](const Curve& curve) {
        for (qsizetype place = 0; place < order.size(); ++place) {
            if (curve.name == order[place]) return place;
            const bool named = std::ranges::any_of(sources, [&](const FigureSource& source) {
                return curve.name.startsWith(source.name) &&
                       (source.name == order[place] || meansCurve(order[place], source.key, source.usualName));
            });
            if (named) return place;
        }
        return order.size();
    };
    std::ranges::stable_sort(curves, {}, placeOf);
}

PaperStyle paperStyleOf(const FigureSpec& spec) {
    return {.label = spec.labelSize(),
            .tick = spec.tickSize(),
            .curves = paletteOf(spec.palette),
            .dashes = spec.dashes,
            .markers = spec.markers};
}

}  // namespace

int FigureSource::drawnRuns() const { return static_cast<int>(std::count(drawn.begin(), drawn.end(), true)); }

QString FigureSource::countInWords() const {
    if (!n.isEmpty()) return n;
    const QString all = QString::number(runs.size());
    return drawnRuns() == static_cast<int>(runs.size()) ? all : QStringLiteral("%1 of %2").arg(drawnRuns()).arg(all);
}

QString FigureContent::inWords() const {
    if (!panels.empty()) {
        QStringList words;
        for (const FigureContent& panel : panels) words << panel.inWords();
        words.removeDuplicates();
        return counted(std::ssize(panels), "panel") + QStringLiteral(": ") + words.join(QStringLiteral("; "));
    }
    if (timeline || graph) {
        QStringList names;
        for (const FigureSource& source : sources) names << source.name;
        return names.join(QStringLiteral(", "));
    }
    qint64 drawn = 0, runs = 0;
    for (const FigureSource& source : sources) {
        drawn += source.drawnRuns();
        runs += std::ssize(source.runs);
    }
    const auto lines = std::count_if(curves.begin(), curves.end(), [](const Curve& curve) {
        return curve.kind != Curve::Kind::Guide && !curve.line.x.empty();
    });
    const QString curveWords = bars  ? counted(std::ssize(bars->bars), "bar")
                               : map ? counted(std::ssize(map->cells), "cell")
                                     : counted(lines, "curve");
    const QString runWords =
        drawn == runs ? counted(runs, "run") : QStringLiteral("%1 of %2 runs").arg(grouped(drawn), grouped(runs));
    return curveWords + QStringLiteral(", ") + runWords;
}

QStringList FigureContent::paperNotes() const {
    if (leftOut.size() <= kMostLeftOutNamed) return notes + leftOut;
    const QString count = QStringLiteral("%1 runs left out, not finished or run again: figure.json names them");
    return notes + QStringList{count.arg(grouped(leftOut.size()))};
}

QStringList FigureContent::notFoundInWords() const {
    QStringList words;
    if (!missing.isEmpty()) words << QStringLiteral("gone: ") + missing.join(QStringLiteral(", "));
    if (!unusedNames.isEmpty())
        words << QStringLiteral("⚠ no curve is called ") + unusedNames.join(QStringLiteral(", "));
    return words;
}

QString FigureContent::unusedNamesInWords() const {
    if (unusedNames.isEmpty()) return {};
    QStringList keys;
    for (const FigureSource& source : sources)
        keys << QStringLiteral("%1 (%2)").arg(QString(source.usualName).replace(QChar(0x00a0), u' '), source.key);
    keys.removeDuplicates();
    const QString more = keys.size() > kMostKeysNamed ? QStringLiteral(", …") : QString();
    return QStringLiteral(
               "names: no curve is called %1; there are %2. Default names change with the runs beside, the "
               "keys in brackets do not")
        .arg(unusedNames.join(QStringLiteral(", ")), keys.mid(0, kMostKeysNamed).join(QStringLiteral(", ")) + more);
}

QStringList FigureContent::allNotes() const {
    QStringList all = notes + leftOut;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        for (const QString& note : panels[i].allNotes()) all << panelLabel(i) + u' ' + note;
    }
    for (const Curve& curve : curves) {
        if (!curve.note.isEmpty()) all << curve.name + QStringLiteral(": ") + curve.note;
    }
    return all;
}

Result<FigureContent> readFigure(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                 std::span<const RunItemPtr> all) {
    if (spec.kind == FigureKind::Panels) return readPanels(reader, spec, all);
    DASGD_ASSIGN(const FigureRuns chosen, runsOf(spec, all));
    FigureContent content{.kind = spec.kind, .missing = chosen.missing};
    if (chosen.runs.empty()) {
        content.nothing =
            !chosen.missing.isEmpty()
                ? QStringLiteral("There is no run %1 in this workspace.").arg(chosen.missing.join(QStringLiteral(", ")))
            : spec.filter.isEmpty() ? QStringLiteral("There is no run in this workspace yet.")
                                    : QStringLiteral("No run passes the filter \"%1\".").arg(spec.filter);
        return content;
    }
    switch (spec.kind) {
        case FigureKind::Curves: DASGD_TRY(readCurves(reader, spec, chosen.runs, all, content)); break;
        case FigureKind::Timeline: DASGD_TRY(readTimelines(reader, spec, chosen.runs, all, content)); break;
        case FigureKind::Scaling: DASGD_TRY(readScaling(reader, spec, chosen.runs, all, content)); break;
        case FigureKind::Bars:
        case FigureKind::Map:
        case FigureKind::Scatter:
        case FigureKind::Over: DASGD_TRY(readComparison(reader, spec, chosen.runs, all, content)); break;
        case FigureKind::Graph: takeGraph(spec, chosen.runs, content); break;
        case FigureKind::Panels: break;
    }
    arrange(content.curves, spec.order, content.sources);
    content.unusedNames = unusedNamesOf(spec, content.sources);
    // The usual label says whether time was simulated and a link emulated: the caption keeps it where a label of the
    // user's stands in its place.
    if (!spec.xLabel.isEmpty()) content.notes << QStringLiteral("x axis: %1").arg(content.axes.x);
    if (!spec.yLabel.isEmpty()) content.notes << QStringLiteral("y axis: %1").arg(content.axes.y);
    DASGD_TRY(addSetup(reader, spec, content));
    if (!content.setup.isEmpty()) content.table.notes << content.setup;
    content.table.notes += fewOf(gatheredNotes(content.paperNotes(), content.curves));
    return content;
}

std::array<QColor, kCurveColors> paletteOf(FigurePalette palette) {
    // The window's colours on a light ground are those of Okabe and Ito without yellow, which is invisible as a line on
    // white.
    if (palette == FigurePalette::OkabeIto) return paperPlotStyle().curves;
    // Tol's bright scheme, in the order of the window's colours nearest to each.
    return {QColor(0x44, 0x77, 0xaa), QColor(0xee, 0x66, 0x77), QColor(0x22, 0x88, 0x33), QColor(0xaa, 0x33, 0x77),
            QColor(0xcc, 0xbb, 0x44), QColor(0x66, 0xcc, 0xee), QColor(0xbb, 0xbb, 0xbb)};
}

PaperFigure paperFigureOf(const FigureContent& content, const FigureSpec& spec, std::size_t buckets) {
    const auto pairOf = [](const std::optional<FigureRange>& range) -> std::optional<std::pair<double, double>> {
        if (!range) return std::nullopt;
        return std::pair(range->low, range->high);
    };
    PlotAxes axes = content.axes;
    if (!spec.xLabel.isEmpty()) axes.x = spec.xLabel;
    if (!spec.yLabel.isEmpty()) axes.y = spec.yLabel;
    return {.curves = content.curves,
            .axes = axes,
            .widthIn = spec.inchesWide(),
            .heightIn = spec.heightIn,
            .style = paperStyleOf(spec),
            .xRange = pairOf(spec.xRange),
            .yRange = pairOf(spec.yRange),
            .xTicks = spec.xTicks,
            .yTicks = spec.yTicks,
            .legend = static_cast<PaperLegend>(spec.legend),
            .legendColumns = spec.legendColumns.value_or(0),
            .buckets = buckets};
}

PaperPage layOut(const FigureContent& content, const FigureSpec& spec, std::size_t buckets) {
    if (!content.panels.empty()) return layOutPanels(content, spec, buckets);
    if (content.timeline) return layOut(*content.timeline, spec.inchesWide(), spec.labelSize(), spec.tickSize());
    const PaperStyle style = paperStyleOf(spec);
    if (content.bars) return layOut(PaperChart{*content.bars, spec.inchesWide(), style});
    if (content.graph) return layOut(PaperChart{*content.graph, spec.inchesWide(), style});
    if (content.map) return layOut(PaperChart{*content.map, spec.inchesWide(), style});
    return layOut(paperFigureOf(content, spec, buckets > 0 ? buckets : kPaperBuckets));
}

}  // namespace dasgd::gui
