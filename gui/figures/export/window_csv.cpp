#include "gui/figures/export/window_csv.h"

#include <QDir>
#include <QFile>
#include <QTextStream>

#include "gui/data/runs/run_table_model.h"
#include "gui/figures/export/figure_files.h"

namespace dasgd::gui {

namespace {

constexpr int kMostNumberedFiles = 10'000;

QString runCell(const RunItem& run, const CsvColumn& column) {
    if (!column.key.empty()) {
        const std::string* value = run.config.find(column.key);
        return value ? csvField(QString::fromStdString(*value)) : QString();
    }
    const auto of = static_cast<RunTableModel::Column>(column.column);
    if (of == RunTableModel::Started) return csvField(QString::fromStdString(run.row.startedAt));
    if (of == RunTableModel::Commit) return csvField(QString::fromStdString(run.row.gitCommit));
    if (of == RunTableModel::Seed) return QString::number(run.row.seed);
    if (of == RunTableModel::Steps) return QString::number(run.row.steps);
    if (RunTableModel::isNumeric(column.column)) return csvNumber(RunTableModel::numberOf(run, of));
    return csvField(RunTableModel::textOf(run, of));
}

const char* clockOf(bool simulated) { return simulated ? "simulated" : "measured"; }

}  // namespace

QString runsTableCsv(const std::vector<RunItemPtr>& runs, const std::vector<CsvColumn>& columns) {
    QString out;
    QTextStream text(&out);
    for (const CsvColumn& column : columns) {
        const QString name =
            column.key.empty() ? RunTableModel::nameOf(column.column) : QString::fromStdString(column.key);
        text << csvField(name) << ',';
    }
    text << "time,run_id\n";
    for (const RunItemPtr& run : runs) {
        for (const CsvColumn& column : columns) text << runCell(*run, column) << ',';
        text << clockOf(run->row.timeSimulated) << ',' << csvField(run->id) << '\n';
    }
    text.flush();
    return out;
}

QString seriesCsv(const std::vector<RecordedSeries>& all) {
    QString out;
    QTextStream text(&out);
    text << "metric,run_id,name,time,step,epoch,wall_s,samples,bytes_sent,value,ranks\n";
    for (const RecordedSeries& one : all) {
        const QString head = csvField(QString::fromStdString(one.metric)) + QLatin1Char(',') + csvField(one.run) +
                             QLatin1Char(',') + csvField(one.name) + QLatin1Char(',') +
                             QLatin1String(clockOf(one.simulated)) + QLatin1Char(',');
        for (const SeriesPoint& point : one.series.points()) {
            text << head << point.step << ',' << csvNumber(point.epoch) << ',' << csvNumber(point.wallS) << ','
                 << point.samples << ',' << QString::number(point.bytesSent, 'f', 0) << ',' << csvNumber(point.value)
                 << ',' << point.ranks << '\n';
        }
    }
    text.flush();
    return out;
}

Result<QString> writeNewCsv(const QString& text, const QString& folder, const QString& name) {
    if (!QDir().mkpath(folder))
        return fail(folder.toStdString() + ": cannot be made. Free the place, or make the workspace writable.");
    const QByteArray bytes = text.toUtf8();
    for (int number = 1; number < kMostNumberedFiles; ++number) {
        const QString path = folder + QLatin1Char('/') + name +
                             (number == 1 ? QString() : QStringLiteral("-%1").arg(number)) + QStringLiteral(".csv");
        if (QFile::exists(path)) continue;
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
            if (QFile::exists(path)) continue;  // somebody else took the name just now
            return fail(path.toStdString() + ": " + file.errorString().toStdString());
        }
        if (file.write(bytes) == bytes.size() && file.flush()) return path;
        const std::string why = file.errorString().toStdString();
        file.remove();
        return fail(path.toStdString() + ": " + why);
    }
    return fail(folder.toStdString() + ": every name of " + name.toStdString() + " is taken. Move some away.");
}

}  // namespace dasgd::gui
