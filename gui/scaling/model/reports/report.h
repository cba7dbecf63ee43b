// A report: the request to `dasgd`, its progress and its result. Stored as reports/NAME.json. A value; pure.
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "gui/scaling/model/reports/job_request.h"

namespace dasgd::gui {

enum class ReportState { Running, Finished, Failed, Stopped };
// "running", "finished", "failed", "stopped".
[[nodiscard]] QString stateInWords(ReportState state);

// The newest progress line of a job.
struct JobProgress {
    QString title;  // "3/14 forecast: dasgd period=4 delay=2"
    qint64 completed = 0, total = 0;
    QString remark;
    // "3/14 forecast: … · 420 of 1 000 steps"; "starting …" before the first.
    [[nodiscard]] QString inWords() const;
    // "3/14": the run under way; "" if there is only one.
    [[nodiscard]] QString place() const;
    // Completed fraction of the job, counting all its runs as equal.
    [[nodiscard]] double share() const;
};

struct Report {
    QString name;  // file name without its ending
    JobRequest asked;
    ReportState state = ReportState::Running;
    QDateTime started, ended;
    QString program, version;  // path and version of `dasgd`
    qint64 process = 0;        // id of the shell that waits for it; 0 if it was not started
    QString error;             // why it failed, with the remedy
    QString markdown;          // printed result
    QStringList runs;          // named in it, each once
    JobProgress progress;      // not stored
    bool stopping = false;     // not stored
};

// "Calibration of first-light", "Advice for first-light".
[[nodiscard]] QString headingOf(const Report& report);
// The setting that an advice recommends, its [algorithm] as an inline table of TOML; "" for other reports.
[[nodiscard]] QString advisedSetting(const QString& markdown);
// The Markdown with every run that it names as a link to the run's id.
[[nodiscard]] QString withRunLinks(const QString& markdown);

[[nodiscard]] QJsonObject jsonOf(const Report& report);
// nullopt if the object is no report.
[[nodiscard]] std::optional<Report> reportOf(const QString& name, const QJsonObject& json);

// Sets state, result and error from a program's streams and exit status.
void conclude(Report& report, const QByteArray& output, const QByteArray& errors, int status);
// The last progress line in a stream of errors; nullopt if there is none.
[[nodiscard]] std::optional<JobProgress> lastProgress(const QByteArray& errors);
// The text for users in a stream of errors.
[[nodiscard]] QString messageIn(const QByteArray& errors);

}  // namespace dasgd::gui
