// A report: what was asked of `dasgd`, how far it is, what came of it. Kept as reports/NAME.json. A value; pure.
#pragma once

#include <QDateTime>
#include <QJsonArray>
#include <QString>
#include <QStringList>
#include <optional>

#include "gui/models/reports/job_request.h"

namespace dasgd::gui {

enum class ReportState { Running, Finished, Failed, Stopped };
// "running", "finished", "failed", "stopped".
[[nodiscard]] QString stateInWords(ReportState state);

// The newest line of progress.
struct JobProgress {
    QString title;  // "3/14 forecast: dasgd period=4 delay=2"
    qint64 completed = 0, total = 0;
    QString remark;
    // "3/14 forecast: … · 420 of 1 000 steps"; "starting …" before the first.
    [[nodiscard]] QString inWords() const;
    // "3/14": which of its runs is under way; "" where there is but one.
    [[nodiscard]] QString place() const;
    // Of the whole job, each of its runs alike.
    [[nodiscard]] double share() const;
};

struct Report {
    QString name;  // of the file, without its ending
    JobRequest asked;
    ReportState state = ReportState::Running;
    QDateTime started, ended;
    QString program, version;  // which `dasgd`
    qint64 process = 0;        // of the shell that waits for it; 0 where it was not started
    QString error;             // why it failed, with the remedy
    QJsonArray result;         // what it printed, one object a line
    JobProgress progress;      // not kept
    bool stopping = false;     // not kept

    // Every run that the result names, each once.
    [[nodiscard]] QStringList runs() const;
    [[nodiscard]] QJsonObject first() const { return result.isEmpty() ? QJsonObject() : result.first().toObject(); }
};

[[nodiscard]] QJsonObject jsonOf(const Report& report);
// Nullopt of what is no report.
[[nodiscard]] std::optional<Report> reportOf(const QString& name, const QJsonObject& json);

// What a program left behind: `output` and `errors` are its streams.
void conclude(Report& report, const QByteArray& output, const QByteArray& errors, int status);
// The last line of progress in the end of a stream of errors; nullopt where there is none.
[[nodiscard]] std::optional<JobProgress> lastProgress(const QByteArray& errors);
// The words in it that are for people.
[[nodiscard]] QString messageIn(const QByteArray& errors);

}  // namespace dasgd::gui
