// The end of a log file of a run, and which log files it has.
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

// Of the watched run.
class LogQuery : public LiveQuery {
    Q_OBJECT

public:
    static constexpr qint64 kMostBytes = 65'536;

    LogQuery() : LiveQuery(Priority::Background) {}
    // From now on this file, where the run has one of that name; else its first.
    void want(const QString& file);
    Status refresh(LiveStore& store) override;

signals:
    // When anything of it has changed.
    void arrived(const dasgd::gui::LogTail& tail);

protected:
    // What has been delivered is delivered again, changed or not.
    void askAnew();
    // Reader's thread.
    [[nodiscard]] virtual QString runOf(const LiveStore& store) const { return store.watch().run; }

private:
    std::mutex mutex_;
    QString wanted_;           // guarded by mutex_
    bool wishedAnew_ = false;  // guarded by mutex_

    RefreshInterval interval_{500, 20};
    LogTail delivered_;
    qint64 bytes_ = -1;
};

// Of a run that is named, whichever is watched.
class NamedLogQuery final : public LogQuery {
    Q_OBJECT

public:
    // From now on the log of this run; "": none.
    void wantRun(const QString& run);

protected:
    [[nodiscard]] QString runOf(const LiveStore& store) const override;

private:
    mutable std::mutex nameMutex_;
    QString name_;  // guarded by nameMutex_
};

}  // namespace dasgd::gui
