#include "gui/figures/figure_data.h"

#include <QJsonDocument>
#include <QSaveFile>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "gui/models/curves/seed_mean.h"

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

struct Member {
    RunItemPtr run;
    Series series;
};

bool isFinished(const RunItemPtr& run) { return run->row.status == "finished"; }

// "seed 3 stopped at step 114".
QString endOf(const RunItem& run) {
    const QString status = QString::fromStdString(run.row.status);
    const QString words = status == QLatin1String("running") ? QStringLiteral("is still running") : status;
    return QStringLiteral("seed %1 %2 at step %3").arg(run.row.seed).arg(words).arg(run.row.steps);
}

// What a curve of this group leaves out, or that nothing of it has finished.
QString notesOf(const FigureGroup& group, const std::vector<Member>& members) {
    QStringList notes;
    const bool anyFinished = std::any_of(group.runs.begin(), group.runs.end(), isFinished);
    for (const Member& member : members) {
        if (!isFinished(member.run)) {
            notes << endOf(*member.run) + (anyFinished ? QStringLiteral(", left out") : QString());
        } else if (member.series.empty()) {
            notes << QStringLiteral("seed %1 has no such record, left out").arg(member.run->row.seed);
        }
    }
    if (!anyFinished && group.runs.size() > 1) notes << QStringLiteral("mean as far as all of them go");
    return notes.join(QStringLiteral("; "));
}

// "n = 3", or "n = 2 to 3" where some points have fewer.
QString countInWords(const SeedMean& mean) {
    return mean.fewest() == mean.most() ? QStringLiteral("n = %1").arg(mean.most())
                                        : QStringLiteral("n = %1 to %2").arg(mean.fewest()).arg(mean.most());
}

void takeMean(Curve& curve, const FigureGroup& group, std::vector<Member> members, XAxis axis) {
    if (group.runs.size() == 1) {
        curve.line = thinned(polylineOf(members.front().series, axis), kPaperBuckets);
        curve.n.assign(curve.line.x.size(), 1);
        return;
    }
    if (!isFinished(members.front().run)) {
        std::int64_t common = members.front().series.points().back().step;
        for (const Member& member : members) common = std::min(common, member.series.points().back().step);
        for (Member& member : members) member.series = upToStep(member.series, common);
    }
    std::vector<const Series*> series;
    series.reserve(members.size());
    for (const Member& member : members) series.push_back(&member.series);
    SeedMean mean = seedMean(series, axis);
    curve.name +=
        mean.most() > 1 ? QStringLiteral(" (mean ± std, %1)").arg(countInWords(mean)) : QStringLiteral(" (n = 1)");
    if (mean.cut) {
        curve.note +=
            QLatin1String(curve.note.isEmpty() ? "" : "; ") + QStringLiteral("mean where all of them were running");
    }
    curve.line = std::move(mean.mean);
    if (mean.n.empty() || mean.most() > 1) curve.deviation = std::move(mean.deviation);
    curve.n = std::move(mean.n);
}

}  // namespace

bool FigureGroup::inMean(const RunItem& run) const {
    return run.row.status == "finished" || std::none_of(runs.begin(), runs.end(), isFinished);
}

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
        std::vector<Member> members;
        for (const RunItemPtr& run : group.runs) {
            DASGD_ASSIGN(Series one, readSeries(reader, *run, metric, smoothing));
            members.push_back({run, std::move(one)});
        }
        Curve curve{.name = group.name, .style = group.style, .note = notesOf(group, members)};
        std::erase_if(members, [&](const Member& member) {
            return member.series.empty() || (group.runs.size() > 1 && !group.inMean(*member.run));
        });
        if (members.empty()) continue;
        takeMean(curve, group, std::move(members), axis);
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
    text << "curve," << csvField(axes.x) << ',' << csvField(axes.y) << ",std,n,left_out\n";
    for (const Curve& curve : curves) {
        for (std::size_t i = 0; i < curve.line.x.size(); ++i) {
            text << csvField(curve.name) << ',' << curve.line.x[i] << ',' << curve.line.y[i] << ',';
            if (!curve.deviation.empty() && !std::isnan(curve.deviation[i])) text << curve.deviation[i];
            text << ',';
            if (!curve.n.empty()) text << curve.n[i];
            text << ',' << csvField(curve.note) << '\n';
        }
    }
    text.flush();
    if (!out.commit()) return fail(file.toStdString() + ": " + out.errorString().toStdString());
    return {};
}

}  // namespace dasgd::gui
