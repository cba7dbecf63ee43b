// The reports of a workspace: reports/NAME.json, those under way too. A job is a process of its own: it goes on when
// the window is closed, and is found again by the next one. Files are read and written on a thread of their own. UI
// thread.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "gui/models/experiment/experiment_files.h"
#include "gui/models/reports/job_files.h"
#include "gui/models/reports/report.h"

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
    // Where a calibration is, as `--calibration` takes it.
    [[nodiscard]] QString calibrationOf(const QString& name) const { return pathOf(name, ".calibration.toml"); }
    [[nodiscard]] QString folder() const { return folder_; }

    // Opens the form of a job, filled with this; a page listens.
    void ask(const JobRequest& request) {
        emit pageWanted();
        emit asked(request);
    }
    // Starts it; answers its name, "" where something is missing, which failed() says.
    QString start(JobRequest request);
    // What failed() said last; "" where a job was started since.
    [[nodiscard]] const QString& problem() const { return problem_; }
    // As Ctrl-C does: the present run ends at one step of all ranks, what is recorded stays. Again: at once.
    void stop(const QString& name);
    // Takes the report away; the runs stay. Not one that is under way.
    void remove(const QString& name);
    // Brings back what was removed last, and with the next calls what was removed before; "" where nothing is left.
    QString restore();

signals:
    void pageWanted();  // before asked() and started(): the page that listens to them may still have to be made
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
    // A job, and its report on disk once it has ended: another window may have finished it.
    struct Seen {
        QString name;
        JobState job;
        std::optional<Report> kept;
    };
    // What becomes of a job's files once its report is written. Without an exit status they are all there is, and the
    // program may still write to them.
    enum class JobFiles { Keep, Remove };
    void takeLook(const Seen& seen);
    void end(Report& report, JobFiles files);
    void write(const Report& report, JobFiles files = JobFiles::Keep);
    void giveUp(const QString& name, const QString& why);
    void fail(const QString& message);
    // A removed one into the list again; nothing where it is there already.
    void takeBack(const QString& name);

    QString folder_, workspace_, program_, problem_;
    QThreadPool pool_;
    ExperimentFiles files_;
    QTimer timer_, others_;    // looks at jobs; at what other windows write
    QDateTime changedOnDisk_;  // the folder when it was last read; of the pool's thread
    std::vector<Report> reports_;
    std::vector<Report> removed_;   // the last one comes back first
    std::set<QString> gone_;        // removed here: a reading that began before may still hold them
    std::set<QString> missed_;      // whose process the last look did not find: gone is what two looks miss
    std::vector<QString> writing_;  // whose experiments files_ writes, in its order
    bool loaded_ = false, looking_ = false;
};

}  // namespace dasgd::gui
