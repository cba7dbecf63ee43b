#include "gui/figures/figure_data.h"

#include <QJsonDocument>
#include <QSaveFile>
#include <QTextStream>
#include <algorithm>

namespace dasgd::gui {

namespace {

constexpr std::size_t kPaperBuckets = 1000;  // about 2,000 points a curve: more than a printer resolves

Result<Series> readSeries(storage::RunReader& reader, const RunItem& run, const std::string& metric, double smoothing) {
    DASGD_ASSIGN(storage::MetricAnswer answer, reader.metrics({.runId = run.row.runId, .name = metric}));
    Series whole;
    whole.add(answer.samples);
    const std::vector<double> values = smoothed(polylineOf(whole, XAxis::Step).y, smoothing);
    std::vector<storage::MetricSample> samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const SeriesPoint& point = whole.points()[i];
        samples.push_back({.step = point.step,
                           .epoch = point.epoch,
                           .wallS = point.wallS,
                           .samples = point.samples,
                           .bytesSent = static_cast<std::int64_t>(point.bytesSent),
                           .value = values[i]});
    }
    Series out;
    out.add(samples);
    return out;
}

}  // namespace

Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader, const QStringList& ids) {
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader.runs());
    std::vector<RunItemPtr> all;
    all.reserve(rows.size());
    for (storage::RunRow& row : rows) all.push_back(makeRunItem(std::move(row)));
    std::vector<FigureGroup> groups;
    std::vector<RunItemPtr> firsts;
    for (const QString& id : ids) {
        DASGD_ASSIGN(const storage::RunDetail detail, reader.run(id.toStdString()));
        const RunItemPtr run = makeRunItem(detail.row);
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const FigureGroup& group) {
            return group.runs.front()->group == run->group && group.runs.front()->row.experiment == run->row.experiment;
        });
        if (same == groups.end()) {
            groups.push_back({.runs = {run}, .linkEmulated = detail.linkEmulated});
            firsts.push_back(run);
        } else {
            same->runs.push_back(run);
        }
    }
    StyleBook styles;
    for (const RunItemPtr& first : firsts) {
        std::vector<RunItemPtr> experiment;
        std::copy_if(all.begin(), all.end(), std::back_inserter(experiment),
                     [&](const RunItemPtr& run) { return run->row.experiment == first->row.experiment; });
        styles.assign(experiment);
    }
    const QStringList names = distinguishingNames(firsts);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].name = names[static_cast<qsizetype>(i)];
        groups[i].style = styles.styleOf(*firsts[i]);
    }
    return groups;
}

Result<std::vector<Curve>> figureCurves(storage::RunReader& reader, const std::vector<FigureGroup>& groups,
                                        const std::string& metric, XAxis axis, double smoothing) {
    std::vector<Curve> curves;
    for (const FigureGroup& group : groups) {
        std::vector<Series> series;
        for (const RunItemPtr& run : group.runs) {
            DASGD_ASSIGN(Series one, readSeries(reader, *run, metric, smoothing));
            if (!one.empty()) series.push_back(std::move(one));
        }
        if (series.empty()) continue;
        Curve curve{.name = group.name, .style = group.style};
        if (series.size() == 1) {
            curve.line = thinned(polylineOf(series.front(), axis), kPaperBuckets);
        } else {
            std::vector<const Series*> members;
            members.reserve(series.size());
            for (const Series& one : series) members.push_back(&one);
            SeedBand band = seedBand(members, axis);
            curve.name += QStringLiteral(" (mean ± std, n = %1)").arg(band.n);
            curve.line = std::move(band.mean);
            curve.deviation = std::move(band.deviation);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

QString csvField(QString text) {
    if (text.startsWith(QLatin1Char('=')) || text.startsWith(QLatin1Char('+')) || text.startsWith(QLatin1Char('-')) ||
        text.startsWith(QLatin1Char('@'))) {
        text.prepend(QLatin1Char('\''));
    }
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

Status writeFigureFiles(const QString& stem, const PaperFigure& figure, QStringList& written) {
    for (const char* suffix : {".pdf", ".svg", ".png"}) {
        written << stem + QLatin1String(suffix);
        DASGD_TRY(writeFigure(figure, written.back()));
    }
    written << stem + QStringLiteral(".csv");
    return writeCurvesCsv(figure.curves, figure.axes, written.back());
}

QJsonObject provenanceOf(const RunItem& run) {
    return {{QStringLiteral("run_id"), run.id},
            {QStringLiteral("experiment"), QString::fromStdString(run.row.experiment)},
            {QStringLiteral("workers"), run.row.workers},
            {QStringLiteral("seed"), static_cast<qint64>(run.row.seed)},
            {QStringLiteral("status"), QString::fromStdString(run.row.status)},
            {QStringLiteral("git_commit"), QString::fromStdString(run.row.gitCommit)}};
}

Status writeJsonFile(const QJsonObject& object, const QString& name) {
    QSaveFile file(name);
    if (!file.open(QIODevice::WriteOnly)) return fail(name.toStdString() + ": cannot be written.");
    file.write(QJsonDocument(object).toJson());
    if (!file.commit()) return fail(name.toStdString() + ": " + file.errorString().toStdString());
    return {};
}

Status writeCurvesCsv(const std::vector<Curve>& curves, const PlotAxes& axes, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
    QTextStream text(&out);
    text.setRealNumberPrecision(9);
    text << "curve," << csvField(axes.x) << ',' << csvField(axes.y) << ",std\n";
    for (const Curve& curve : curves) {
        for (std::size_t i = 0; i < curve.line.x.size(); ++i) {
            text << csvField(curve.name) << ',' << curve.line.x[i] << ',' << curve.line.y[i] << ',';
            if (!curve.deviation.empty()) text << curve.deviation[i];
            text << '\n';
        }
    }
    text.flush();
    if (!out.commit()) return fail(file.toStdString() + ": " + out.errorString().toStdString());
    return {};
}

}  // namespace dasgd::gui
