// The files of a job that is under way: `dasgd` runs as a process of its own, which outlives the window, and leaves its
// streams and its exit status in the workspace. Functions that read, write and start; not on the UI thread.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>

namespace dasgd::gui {

struct JobPlace {
    QString stem;  // reports/.running/NAME: files .out .err .status .version
};

// Answers the id of the process that waits for the program; 0 where it could not be started.
[[nodiscard]] qint64 startJob(const JobPlace& place, const QString& program, const QStringList& arguments);

struct JobState {
    std::optional<int> status;  // once it has ended
    bool alive = true;          // false: neither ended nor there any more
    QString version;
    QByteArray output, errors;  // the end of `errors` while it runs, all of both afterwards
};
[[nodiscard]] JobState lookAtJob(const JobPlace& place, qint64 process);

// Asks it to stop as Ctrl-C does; a second time ends it at once. Only a process that is this very job is asked.
void stopJob(const JobPlace& place, qint64 process);
void removeJobFiles(const JobPlace& place);

}  // namespace dasgd::gui
