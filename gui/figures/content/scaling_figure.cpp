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

QString csvSample(const Sample& sample) {
    const auto number = [](std::optional<double> value) { return value ? QString::number(*value, 'g', 9) : QString(); };
    return number(sample.n > 0 ? std::optional(sample.mean) : std::nullopt) + QLatin1Char(',') + number(sample.std);
}

QString pointsOf(const std::vector<DrawnLine>& lines) {
    QString out;
    QTextStream text(&out);
    text << "configuration,time,workers,batch_size,seeds";
    for (const char* name : {"step_ms", "samples_per_s", "speed_up", "efficiency", "hidden", "s_to_target"}) {
        text << ',' << name << "_mean," << name << "_std";
    }
    text << ",reached_target,run_ids\n";
    for (const DrawnLine& line : lines) {
        for (const ScalingPoint& point : line.points) {
            text << csvField(line.name) << ',' << csvField(line.line->origin()) << ',' << point.workers << ','
                 << point.batch << ',' << point.runIds.size();
            for (const Sample* sample : {&point.stepMs, &point.samplesPerS, &point.speedUp, &point.efficiency,
                                         &point.hidden, &point.secondsToTarget}) {
                text << ',' << csvSample(*sample);
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
                            spreadText(point.stepMs),
                            spreadText(point.samplesPerS),
                            spreadText(point.efficiency, 100)};
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
    for (const RunItemPtr& run : source.runs) {
        const bool drawn = std::any_of(line.points.begin(), line.points.end(), [&](const ScalingPoint& point) {
            return std::find(point.runIds.begin(), point.runIds.end(), run->row.runId) != point.runIds.end();
        });
        source.drawn.push_back(drawn);
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

// Adds the runs that did not finish to the source of their curve, or as sources of their own.
void addUnfinished(std::span<const RunItemPtr> runs, const std::vector<DrawnLine>& lines, Scaling scaling,
                   FigureContent& into) {
    for (const RunItemPtr& run : runs) {
        if (run->row.status == "finished") continue;
        const auto line = std::find_if(lines.begin(), lines.end(),
                                       [&](const DrawnLine& one) { return one.line->key == run->line.key(scaling); });
        const QString key = curveKey(*run), name = line == lines.end() ? runTitle(run->row) : line->name;
        auto source = line == lines.end()
                          ? std::find_if(into.sources.begin() + static_cast<std::ptrdiff_t>(lines.size()),
                                         into.sources.end(), [&](const FigureSource& one) { return one.key == key; })
                          : into.sources.begin() + (line - lines.begin());
        if (source == into.sources.end())
            source = into.sources.insert(source, {.key = key, .usualName = name, .name = name});
        source->runs.push_back(run);
        source->drawn.push_back(false);
        into.leftOut << QStringLiteral("%1, %2 workers: %3, left out").arg(name).arg(run->row.workers).arg(endOf(*run));
    }
}

// Adds a note for each seed that was run again at the same number of workers: only the newest finished run is drawn.
void nameRepeated(const std::vector<DrawnLine>& lines, FigureContent& into) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const FigureSource& source = into.sources[i];
        for (std::size_t run = 0; run < source.runs.size(); ++run) {
            if (source.drawn[run]) continue;
            const RunItem& older = *source.runs[run];
            for (std::size_t other = 0; other < source.runs.size(); ++other) {
                const RunItem& newer = *source.runs[other];
                if (!source.drawn[other] || newer.line.seeds != older.line.seeds ||
                    newer.row.workers != older.row.workers) {
                    continue;
                }
                into.leftOut << QStringLiteral("%1, %2 workers: seed %3 was run again: the older run, %4, left out")
                                    .arg(lines[i].name)
                                    .arg(older.row.workers)
                                    .arg(older.row.seed)
                                    .arg(QString::fromStdString(older.row.status));
                break;
            }
        }
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
    return QStringLiteral("mean ± std over seeds, n = %1").arg(n) +
           QLatin1String(fewest < 2 ? "; no bar where n = 1" : "");
}

}  // namespace

Status readScaling(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
                   std::span<const RunItemPtr> all, FigureContent& into) {
    std::vector<RunItemPtr> finished;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(finished),
                 [](const RunItemPtr& run) { return run->row.status == "finished" && !isProbe(run->row); });
    if (finished.empty()) {
        into.nothing = QStringLiteral("None of these runs has finished.");
        return {};
    }
    TimesById times;
    for (const RunItemPtr& run : finished) {
        DASGD_ASSIGN(times[run->row.runId], storage::readRunTimes(reader, run->row.runId));
    }
    const std::vector<ScalingLine> lines = scalingLines(finished, spec.scaling);
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
    nameRepeated(drawn, into);
    addUnfinished(runs, drawn, spec.scaling, into);
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
