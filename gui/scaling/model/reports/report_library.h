// The reports of a workspace, running ones included: reports/NAME.json. A job is a process of its own: it continues
// when the window is closed, and the next window finds it again. Files are read and written on a thread of their own.
// UI thread.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "gui/experiment/model/document/experiment_files.h"
#include "gui/scaling/model/reports/job_files.h"
#include "gui/scaling/model/reports/report.h"

namespace dasgd::gui {

class ReportLibrary : public QObject {
    Q_OBJECT

public:
    // `program`: path of `dasgd`.
    ReportLibrary(const std::filesystem::path& workspace, QString program, QObject* parent = nullptr);
    ~ReportLibrary() override;

    [[nodiscard]] const std::vector<Report>& reports() const { return reports_; }  // the newest first
    [[nodiscard]] const Report* find(const QString& name) const;
    [[nodiscard]] bool loaded() const { return loaded_; }
    // Path of a calibration for `--calibration`.
    [[nodiscard]] QString calibrationOf(const QString& name) const { return pathOf(name, ".calibration.toml"); }
    [[nodiscard]] QString folder() const { return folder_; }

    // Requests the form of a job, filled with `request`; a page handles the signals.
    void ask(const JobRequest& request) {
        emit pageWanted();
        emit asked(request);
    }
    // Starts the job and returns its name; "" on an error, which failed() reports.
    QString start(JobRequest request);
    // Last message of failed(); "" once another job was started.
    [[nodiscard]] const QString& problem() const { return problem_; }
    // Stops the job as Ctrl-C does: its ranks end at a common step and records are kept. A second call ends it at once.
    void stop(const QString& name);
    // Removes the report, but not its runs. Does nothing while it is running.
    void remove(const QString& name);
    // Restores the report removed last; further calls restore earlier ones. Returns its name; "" when none is left.
    QString restore();

signals:
    void pageWanted();  // emitted before asked() and started(), as the page that handles them may not exist yet
    void asked(const dasgd::gui::JobRequest& request);
    void changed();                       // the list, or one of its reports
    void started(const QString& name);    // by start()
    void ended(const QString& name);      // finished, failed or stopped
    void failed(const QString& message);  // with the remedy

private:
    [[nodiscard]] QString pathOf(const QString& name, const char* ending) const;
    [[nodiscard]] JobPlace placeOf(const QString& name) const;
    [[nodiscard]] Report* edit(const QString& name);
    void load();
    void launch(const QString& name);
    void look();
    // A job, and its report on disk once it has ended, as another window may have finished it.
    struct Seen {
        QString name;
        JobState job;
        std::optional<Report> kept;
    };
    // Treatment of a job's files when its report is written. Without an exit status they are kept, as they are the only
    // record and the program may still write to them.
    enum class JobFiles { Keep, Remove };
    void takeLook(const Seen& seen);
    void end(Report& report, JobFiles files);
    void write(const Report& report, JobFiles files = JobFiles::Keep);
    void giveUp(const QString& name, const QString& why);
    void fail(const QString& message);
    // Puts a removed report back into the list, unless it is there.
    void takeBack(const QString& name);

    QString folder_, workspace_, program_, problem_;
    QThreadPool pool_;
    ExperimentFiles files_;
    QTimer timer_, others_;    // look at jobs; at files written by other windows
    QDateTime changedOnDisk_;  // time of the folder when it was last read; used on the pool's thread
    std::vector<Report> reports_;
    std::vector<Report> removed_;   // the last one is restored first
    std::set<QString> gone_;        // removed here; a read that began earlier may still return them
    std::set<QString> missed_;      // the last look found no process of theirs; after two such looks it counts as gone
    std::vector<QString> writing_;  // their experiments are being written by files_, in this order
    bool loaded_ = false, looking_ = false;
};

}  // namespace dasgd::gui
