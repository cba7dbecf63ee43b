#include "gui/figures/scaling_figure.h"

#include <QDir>
#include <QJsonArray>
#include <QSaveFile>
#include <QTextStream>

#include "core/base/metric_names.h"
#include "gui/figures/figure_data.h"
#include "gui/models/scaling/scaling.h"
#include "storage/scaling.h"

namespace dasgd::gui {

namespace {

// The finished ones among those that were asked for.
Result<std::vector<RunItemPtr>> chosenRuns(storage::RunReader& reader, const FigureOptions& options) {
    std::vector<RunItemPtr> items;
    for (const QString& id : options.runs) {
        DASGD_ASSIGN(const storage::RunDetail detail, reader.run(id.toStdString()));
        items.push_back(makeRunItem(detail.row));
    }
    if (options.runs.isEmpty()) {
        DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader.runs());
        for (storage::RunRow& row : rows) {
            if (QString::fromStdString(row.experiment) == options.experiment)
                items.push_back(makeRunItem(std::move(row)));
        }
        if (items.empty()) return fail("--experiment: there is no run of \"" + options.experiment.toStdString() + "\"");
    }
    std::erase_if(items, [](const RunItemPtr& item) { return item->row.status != "finished"; });
    if (items.empty()) return fail("none of these runs has finished: there is nothing to draw");
    return items;
}

QString csvSample(const Sample& sample) {
    const auto number = [](std::optional<double> value) { return value ? QString::number(*value, 'g', 9) : QString(); };
    return number(sample.n > 0 ? std::optional(sample.mean) : std::nullopt) + QLatin1Char(',') + number(sample.std);
}

Status writePoints(const std::vector<DrawnLine>& lines, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
    QTextStream text(&out);
    text << "configuration,time,workers,batch_size,seeds";
    for (const char* name : {"step_ms", "samples_per_s", "speed_up", "efficiency", "hidden", "s_to_target"}) {
        text << ',' << name << "_mean," << name << "_std";
    }
    text << ",reached_target,run_ids\n";
    for (const DrawnLine& line : lines) {
        for (const ScalingPoint& point : line.points) {
            text << csvField(line.name) << ',' << (line.line->simulated() ? "simulated" : "measured") << ','
                 << point.workers << ',' << point.batch << ',' << point.runIds.size();
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
    if (!out.commit()) return fail(file.toStdString() + ": " + out.errorString().toStdString());
    return {};
}

QJsonObject figureJson(const FigureOptions& options, const std::vector<DrawnLine>& lines, const QStringList& written) {
    QJsonArray curves, files;
    for (const DrawnLine& line : lines) {
        QJsonArray runs;
        for (const ScalingPoint& point : line.points) {
            for (const RunItemPtr& run : line.line->runs) {
                const auto& ids = point.runIds;
                if (std::find(ids.begin(), ids.end(), run->row.runId) != ids.end()) runs.append(provenanceOf(*run));
            }
        }
        curves.append(QJsonObject{
            {QStringLiteral("name"), line.name},
            {QStringLiteral("time"), line.line->simulated() ? QStringLiteral("simulated") : QStringLiteral("measured")},
            {QStringLiteral("runs"), runs}});
    }
    for (const QString& file : written) files.append(QDir(options.out).relativeFilePath(file));
    QJsonObject query{
        {QStringLiteral("metrics"), QJsonArray{QStringLiteral("step_ms"), QLatin1String(metrics::kEvalAccuracy),
                                               QLatin1String(metrics::kEvalLoss)}},
        {QStringLiteral("scaling"),
         options.scaling == Scaling::Strong ? QStringLiteral("strong") : QStringLiteral("weak")},
        {QStringLiteral("efficiency"), QStringLiteral("against the smallest number of workers of each curve")},
        {QStringLiteral("over_seeds"), QStringLiteral("mean and standard deviation (n - 1)")}};
    if (options.target) query[QStringLiteral("target")] = QString::fromStdString(options.target->inWords());
    return {{QStringLiteral("command"), options.command},
            {QStringLiteral("curves"), curves},
            {QStringLiteral("query"), query},
            {QStringLiteral("width_in"), options.widthIn},
            {QStringLiteral("files"), files}};
}

}  // namespace

Result<QStringList> writeScalingFigures(const FigureOptions& options) {
    DASGD_ASSIGN(storage::RunReader reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(const std::vector<RunItemPtr> runs, chosenRuns(reader, options));
    TimesById times;
    for (const RunItemPtr& run : runs) {
        DASGD_ASSIGN(times[run->row.runId], storage::readRunTimes(reader, run->row.runId));
    }
    const std::vector<ScalingLine> lines = scalingLines(runs, *options.scaling);
    std::vector<const ScalingLine*> all;
    for (const ScalingLine& line : lines) all.push_back(&line);
    const std::vector<DrawnLine> drawn = drawnLines(all, times, *options.scaling, options.target);
    if (!QDir().mkpath(options.out))
        return fail(options.out.toStdString() + ": cannot be made. Choose another --out folder.");
    QStringList written;
    const auto write = [&](ScalingPlot plot, const char* name) {
        const PaperFigure figure{.curves = scalingCurves(drawn, plot),
                                 .axes = {.x = QStringLiteral("workers"),
                                          .y = scalingAxis(drawn, plot, options.target),
                                          .logY = plot != ScalingPlot::Efficiency,
                                          .fromZero = true,
                                          .log2X = true},
                                 .widthIn = options.widthIn};
        return writeFigureFiles(options.out + QLatin1Char('/') + QLatin1String(name), figure, written);
    };
    DASGD_TRY(write(ScalingPlot::Throughput, "throughput"));
    DASGD_TRY(write(ScalingPlot::Efficiency, "efficiency"));
    if (options.target) DASGD_TRY(write(ScalingPlot::TimeToTarget, "time-to-target"));
    written << options.out + QStringLiteral("/points.csv");
    DASGD_TRY(writePoints(drawn, written.back()));
    DASGD_TRY(writeJsonFile(figureJson(options, drawn, written), options.out + QStringLiteral("/figure.json")));
    return written << options.out + QStringLiteral("/figure.json");
}

}  // namespace dasgd::gui
