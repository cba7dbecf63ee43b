// Arguments of `dasgd calibrate|advise|scale|replay`. A value; pure; any thread.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <optional>

namespace dasgd::gui {

enum class JobKind { Calibrate, Advise, Scale, Replay };

struct JobRequest {
    JobKind kind = JobKind::Calibrate;
    QString title;        // name of the experiment; for a replay the run's id
    QString text;         // TOML of the experiment; "" for a replay
    QString folder;       // base of relative paths in `text`; "" for none
    QString run;          // id of the run to replay
    QString workers;      // for Scale: "1,2,4"
    bool strong = false;  // for Scale: the total batch size stays constant
    QString target;       // for Scale and Advise: "accuracy=0.97", "" for none
    QString calibration;  // for all but Calibrate: path of a calibration, "" for none
    QStringList set;      // "network.bandwidth=10Mbps"

    bool operator==(const JobRequest&) const = default;
};

// Name of the command: "calibrate".
[[nodiscard]] QString commandOf(JobKind kind);
// Name of the result on the page: "Calibration".
[[nodiscard]] QString kindInWords(JobKind kind);
// "1,2,4 workers, weak · target accuracy=0.97 · network.bandwidth=10Mbps"; "" without options.
[[nodiscard]] QString optionsInWords(const JobRequest& request);
// Message about a missing argument; "" if the job can be started.
[[nodiscard]] QString problemOf(const JobRequest& request);

// Command line without program and workspace. `file`: path of the text; `calibrationOut`: path for the calibration to
// be written.
[[nodiscard]] QStringList argumentsOf(const JobRequest& request, const QString& file, const QString& calibrationOut);

// Splits "network.bandwidth=10Mbps sweep=[1, 2]" at blanks outside quotes and brackets.
[[nodiscard]] QStringList settingsIn(const QString& line);

[[nodiscard]] QJsonObject jsonOf(const JobRequest& request);
// nullopt if the object is no request.
[[nodiscard]] std::optional<JobRequest> jobRequestOf(const QJsonObject& json);

}  // namespace dasgd::gui
