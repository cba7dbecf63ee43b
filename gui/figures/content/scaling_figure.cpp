#include "gui/figures/content/scaling_figure.h"

#include <QTextStream>
#include <algorithm>
#include <limits>

#include "gui/data/runs/run_config.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/scaling/model/scaling.h"
#include "storage/compare/scaling.h"

namespace dasgd::gui {

namespace {

QString pointsOf(const std::vector<DrawnLine>& lines) {
    QString out;
    QTextStream text(&out);
    text << "configuration,time,workers,batch_size,seeds";
    for (const ScalingNumber& number : kScalingNumbers) text << ',' << number.csv << "_mean," << number.csv << "_std";
    text << ",reached_target,run_ids\n";
    for (const DrawnLine& line : lines) {
        for (const ScalingPoint& point : line.points) {
            text << csvField(line.name) << ',' << csvField(line.line->origin()) << ',' << point.workers << ','
                 << point.batch << ',' << point.runIds.size();
            for (const ScalingNumber& number : kScalingNumbers) {
                const Sample& sample = point.*number.sample;
                text << ',' << csvNumber(sample.n > 0 ? std::optional(sample.mean) : std::nullopt) << ','
                     << csvNumber(sample.std);
            }
            QStringList ids;
            for (const std::string& id : point.runIds) ids << QString::fromStdString(id);
            text << ',' << point.secondsToTarget.n << ',' << csvField(ids.join(QLatin1Char(' '))) << '\n';
        }
    }
    text.flush();
    return out;
}

FigureTable tableOf(const std::vector<DrawnLine>& lines, bool target) {
    FigureTable table{.columns = {QStringLiteral("configuration"), QStringLiteral("time"), QStringLiteral("workers"),
                                  QStringLiteral("n"), QStringLiteral("step [ms]"), QStringLiteral("samples/s"),
                                  QStringLiteral("efficiency [%]")}};
    if (target) table.columns << QStringLiteral("time to target [s]");
    for (const DrawnLine& line : lines) {
        for (const ScalingPoint& point : line.points) {
            QStringList row{line.name,
                            line.line->origin(),
                            QString::number(point.workers),
                            QString::number(point.runIds.size()),
                            kScalingNumbers[0].text(point),
                            kScalingNumbers[1].text(point),
                            kScalingNumbers[3].text(point)};
            if (target) row << timeToTargetText(point);
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

FigureSource sourceOf(const DrawnLine& line, const QString& usualName) {
    FigureSource source{.key = curveKey(line.line->newest()),
                        .usualName = usualName,
                        .name = line.name,
                        .style = line.style,
                        .runs = line.line->runs};
    for (const auto* more : {&line.line->unfinished, &line.line->live})
        source.runs.insert(source.runs.end(), more->begin(), more->end());
    for (const RunItemPtr& run : source.runs) {
        source.drawn.push_back(std::ranges::any_of(line.points, [&](const ScalingPoint& point) {
            return std::ranges::count(point.runIds, run->row.runId) > 0;
        }));
    }
    // `n` counts the seeds of a point; the source's runs are those of all points.
    const auto seedsOf = [](const ScalingPoint& point) { return point.runIds.size(); };
    if (!line.points.empty()) {
        const auto [fewest, most] = std::ranges::minmax(line.points, {}, seedsOf);
        source.n = seedsOf(fewest) == seedsOf(most)
                       ? QString::number(seedsOf(most))
                       : QStringLiteral("%1 to %2").arg(seedsOf(fewest)).arg(seedsOf(most));
    }
    return source;
}

// Adds the runs of configurations of which none finished, as sources of their own.
void addRunsWithoutLine(std::span<const RunItemPtr> runs, FigureContent& into) {
    const auto lines = std::ssize(into.sources);
    for (const RunItemPtr& run : runs) {
        const auto holds = [&](const FigureSource& source) { return std::ranges::count(source.runs, run) > 0; };
        if (std::ranges::any_of(into.sources, holds)) continue;
        const QString key = curveKey(*run), name = runTitle(run->row);
        auto source = std::find_if(into.sources.begin() + lines, into.sources.end(),
                                   [&](const FigureSource& one) { return one.key == key; });
        if (source == into.sources.end())
            source = into.sources.insert(source, {.key = key, .usualName = name, .name = name});
        source->runs.push_back(run);
        source->drawn.push_back(false);
        into.leftOut << QStringLiteral("%1, %2 workers, %3").arg(name).arg(run->row.workers).arg(seedEndInWords(*run));
    }
}

// Adds a note that names the lines with an emulated link, unless all have one: the axis says that.
void nameEmulated(const std::vector<DrawnLine>& lines, FigureContent& into) {
    QStringList names;
    for (const DrawnLine& line : lines) {
        if (line.line->linkEmulated()) names << line.name;
    }
    if (names.isEmpty() || names.size() == static_cast<qsizetype>(lines.size())) return;
    into.notes << QStringLiteral("link emulated: ") + names.join(QStringLiteral(", "));
}

// Meaning of the error bars; "" where there are none.
QString barsInWords(const std::vector<Curve>& curves) {
    int fewest = std::numeric_limits<int>::max(), most = 0;
    bool bars = false;
    for (const Curve& curve : curves) {
        bars = bars || !curve.deviation.empty();
        for (const int n : curve.n) {
            fewest = std::min(fewest, n);
            most = std::max(most, n);
        }
    }
    if (!bars) return {};
    const QString n = fewest == most ? QString::number(most) : QStringLiteral("%1 to %2").arg(fewest).arg(most);
    return QStringLiteral("mean ± std over seeds%1, n = %2")
               .arg(QLatin1String(fewest <= 2 && most > 1 ? ", of two half their range" : ""), n) +
           QLatin1String(fewest < 2 ? "; no bar where n = 1" : "");
}

}  // namespace

Status readScaling(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
                   std::span<const RunItemPtr> all, FigureContent& into) {
    const std::vector<ScalingLine> lines = scalingLines(runs, spec.scaling);
    if (lines.empty()) {
        into.nothing = QStringLiteral("None of these runs has finished.");
        return {};
    }
    TimesById times;
    for (const ScalingLine& line : lines) {
        for (const RunItemPtr& run : line.runs) {
            DASGD_ASSIGN(times[run->row.runId], storage::readRunTimes(reader, run->row.runId));
        }
    }
    std::vector<const ScalingLine*> together;
    for (const ScalingLine& line : lines) together.push_back(&line);
    std::optional<Target> target;
    if (!spec.target.isEmpty()) {
        DASGD_ASSIGN(target, parseTarget(spec.target.toStdString()));
    }
    StyleBook styles;
    styles.assign(all);
    std::vector<DrawnLine> drawn =
        drawnLines(together, times, spec.scaling, target, [&](const RunItem& run) { return styles.styleOf(run); });
    for (DrawnLine& line : drawn) {
        into.sources.push_back(sourceOf(line, line.name));
        FigureSource& source = into.sources.back();
        line.name = source.name = nameOfCurve(spec.names, source.key, source.usualName);
    }
    into.curves = scalingCurves(drawn, spec.plot);
    if (const QString bars = barsInWords(into.curves); !bars.isEmpty()) into.notes << bars;
    nameEmulated(drawn, into);
    into.leftOut = leftOutInWords(drawn);
    addRunsWithoutLine(runs, into);
    into.axes = {.x = QStringLiteral("workers"),
                 .y = scalingAxis(drawn, spec.plot, target),
                 .logY = spec.logY.value_or(spec.plot != ScalingPlot::Efficiency),
                 .fromZero = true,
                 .log2X = true};
    if (const QString words = bandsAtZeroInWords(into.curves, into.axes); !words.isEmpty()) into.notes << words;
    into.table = tableOf(drawn, target.has_value());
    into.pointsCsv = pointsOf(drawn);
    return {};
}

}  // namespace dasgd::gui
