// Files of a running job: `dasgd` runs as a process of its own, which outlives the window, and leaves its streams and
// its exit status in the workspace. These functions do file I/O and start processes; not for the UI thread.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>

namespace dasgd::gui {

struct JobPlace {
    QString stem;  // path reports/.running/NAME; the files end in .out .err .status .version
};

// Returns the id of the process that waits for the program; 0 if it could not be started.
[[nodiscard]] qint64 startJob(const JobPlace& place, const QString& program, const QStringList& arguments);

struct JobState {
    std::optional<int> status;  // exit status, once it has ended
    bool alive = true;          // false: the process is gone; without `status` it did not end by itself
    QString version;
    QByteArray output, errors;  // while it runs only the end of `errors`, afterwards both in full
};
[[nodiscard]] JobState lookAtJob(const JobPlace& place, qint64 process);

// Asks the job to stop as Ctrl-C does; a second call ends it at once. Does nothing if the process is not this job.
void stopJob(const JobPlace& place, qint64 process);
void removeJobFiles(const JobPlace& place);

}  // namespace dasgd::gui
