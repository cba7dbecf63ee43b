#include "gui/figures/export/figure_files.h"

#include <QJsonDocument>
#include <QSaveFile>
#include <QTextStream>
#include <cmath>

namespace dasgd::gui {

namespace {

constexpr int kDigits = 9;

Status writeBytes(const QByteArray& bytes, const QString& name) {
    QSaveFile file(name);
    if (!file.open(QIODevice::WriteOnly))
        return fail(name.toStdString() + ": cannot be written. Choose another --out folder.");
    file.write(bytes);
    if (!file.commit()) return fail(name.toStdString() + ": " + file.errorString().toStdString());
    return {};
}

}  // namespace

QString curvesCsv(const std::vector<Curve>& curves, const PlotAxes& axes, const QString& band) {
    QString out;
    QTextStream text(&out);
    text << "curve," << csvField(axes.x) << ',' << csvField(axes.y) << ',' << band << ",n,left_out\n";
    for (const Curve& curve : curves) {
        // A configuration without a mean has one row with the reason.
        if (curve.line.x.empty() && !curve.note.isEmpty())
            text << csvField(curve.name) << ",,,,0," << csvField(curve.note) << '\n';
        for (std::size_t i = 0; i < curve.line.x.size(); ++i) {
            text << csvField(curve.name) << ',' << csvNumber(curve.line.x[i]) << ',' << csvNumber(curve.line.y[i])
                 << ',';
            if (!curve.deviation.empty() && !std::isnan(curve.deviation[i])) text << csvNumber(curve.deviation[i]);
            text << ',';
            if (!curve.n.empty()) text << curve.n[i];
            text << ',' << csvField(curve.note) << '\n';
        }
        for (std::size_t seed = 0; seed < curve.behind.size(); ++seed) {
            const Polyline& line = curve.behind[seed];
            const QString name = csvField(curve.behindNames.value(static_cast<qsizetype>(seed), curve.name));
            for (std::size_t i = 0; i < line.x.size(); ++i) {
                text << name << ',' << csvNumber(line.x[i]) << ',' << csvNumber(line.y[i]) << ",,1,\"\"\n";
            }
        }
    }
    text.flush();
    return out;
}

QString spansCsv(const std::vector<storage::SpanRow>& spans) {
    QString out = QStringLiteral("rank,lane,kind,step,start_s,end_s,bytes\n");
    QTextStream text(&out);
    text.setRealNumberNotation(QTextStream::FixedNotation);
    text.setRealNumberPrecision(kDigits);
    for (const storage::SpanRow& row : spans) {
        const Span& span = row.span;
        text << row.rank << ',' << QLatin1String(nameOf(span.lane).data()) << ','
             << QLatin1String(nameOf(span.kind).data()) << ',' << span.step << ','
             << static_cast<double>(span.start) / 1e9 << ',' << static_cast<double>(span.end) / 1e9 << ',' << span.bytes
             << '\n';
    }
    text.flush();
    return out;
}

QJsonObject provenanceOf(const RunItem& run) {
    return {{QStringLiteral("run_id"), run.id},
            {QStringLiteral("experiment"), QString::fromStdString(run.row.experiment)},
            {QStringLiteral("workers"), run.row.workers},
            {QStringLiteral("seed"), static_cast<qint64>(run.row.seed)},
            {QStringLiteral("status"), QString::fromStdString(run.row.status)},
            {QStringLiteral("steps"), static_cast<qint64>(run.row.steps)},
            {QStringLiteral("git_commit"), QString::fromStdString(run.row.gitCommit)}};
}

Status writeText(const QString& text, const QString& file) { return writeBytes(text.toUtf8(), file); }

Status writeJsonFile(const QJsonObject& object, const QString& file) {
    return writeBytes(QJsonDocument(object).toJson(), file);
}

}  // namespace dasgd::gui
