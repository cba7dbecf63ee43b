// What `dasgd calibrate|advise|scale|replay` is asked for. A value; pure; any thread.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <optional>

namespace dasgd::gui {

enum class JobKind { Calibrate, Advise, Scale, Replay };

struct JobRequest {
    JobKind kind = JobKind::Calibrate;
    QString title;        // name of the experiment, of a replay the run's id
    QString text;         // the experiment, TOML; "" of a replay
    QString folder;       // where relative paths in it begin; "" for nowhere
    QString run;          // that is replayed
    QString workers;      // of Scale: "1,2,4"
    bool strong = false;  // of Scale: the batch of all together stays
    QString target;       // of Scale and Advise: "accuracy=0.97", "" for none
    QString calibration;  // of all but Calibrate: path of a calibration, "" for none
    QStringList set;      // "network.bandwidth=10Mbps"

    bool operator==(const JobRequest&) const = default;
};

// "calibrate": as the command is called.
[[nodiscard]] QString commandOf(JobKind kind);
// "Calibration", as the page calls its result.
[[nodiscard]] QString kindInWords(JobKind kind);
// "1,2,4 workers, weak · target accuracy=0.97 · network.bandwidth=10Mbps"; "" where nothing was asked for.
[[nodiscard]] QString optionsInWords(const JobRequest& request);
// What is missing, in words; "" where it can be started.
[[nodiscard]] QString problemOf(const JobRequest& request);

// The command line without program and workspace. `file`: where the text is; `calibrationOut`: where a calibration is
// to be written.
[[nodiscard]] QStringList argumentsOf(const JobRequest& request, const QString& file, const QString& calibrationOut);

// The settings of a line, "network.bandwidth=10Mbps sweep=[1, 2]": parted at blanks outside of quotes and brackets.
[[nodiscard]] QStringList settingsIn(const QString& line);

[[nodiscard]] QJsonObject jsonOf(const JobRequest& request);
// Nullopt of what is no request.
[[nodiscard]] std::optional<JobRequest> jobRequestOf(const QJsonObject& json);

}  // namespace dasgd::gui
