// The end of a log file of a run, and the list of its log files.
#pragma once

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct LogTail {
    QString runId;
    QStringList files;  // in the run's folder, sorted by their numbers
    QString file;       // file of `text`; "" if there is none
    QString text;       // whole lines, newest last
    bool cut = false;   // the file has more before it
};

// The log of the watched run.
class LogQuery : public LiveQuery {
    Q_OBJECT

public:
    static constexpr qint64 kMostBytes = 65'536;

    LogQuery() : LiveQuery(Priority::Background) {}
    // Chooses the file by name; if the run has none of that name, its first.
    void want(const QString& file);
    Status refresh(LiveStore& store) override;

signals:
    // Emitted when anything in it has changed.
    void arrived(const dasgd::gui::LogTail& tail);

protected:
    struct Wish {
        QString file;
        std::optional<QString> run;  // "": none; absent: the watched one
    };
    Wishes<Wish> wish_{this};

private:
    RefreshInterval interval_{500, 20};
    LogTail delivered_;
    qint64 bytes_ = -1;
};

// The log of a given run, whichever is watched.
class NamedLogQuery final : public LogQuery {
    Q_OBJECT

public:
    NamedLogQuery() { wantRun({}); }
    // Chooses the run; "": none.
    void wantRun(const QString& run);
};

}  // namespace dasgd::gui
