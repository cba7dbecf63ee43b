// The end of a log file of the watched run, and which log files it has.
#pragma once

#include <mutex>

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct LogTail {
    QString runId;
    QStringList files;  // of the run's folder, sorted by their numbers
    QString file;       // whose end this is; "" where there is none
    QString text;       // whole lines, the newest last
    bool cut = false;   // the file is longer
};

class LogQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr qint64 kMostBytes = 65'536;

    LogQuery() : LiveQuery(Priority::Background) {}
    // From now on this file, where the watched run has one of that name; else its first.
    void want(const QString& file);
    Status refresh(LiveStore& store) override;

signals:
    // When anything of it has changed.
    void arrived(const dasgd::gui::LogTail& tail);

private:
    std::mutex mutex_;
    QString wanted_;           // guarded by mutex_
    bool wishedAnew_ = false;  // guarded by mutex_

    RefreshInterval interval_{500, 20};
    LogTail delivered_;
    qint64 bytes_ = -1;
};

}  // namespace dasgd::gui
