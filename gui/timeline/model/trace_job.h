// Runs `dasgd import` and `dasgd export --trace`, one at a time, with progress. UI thread; never waits.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <memory>

namespace dasgd::gui {

class TraceJob : public QObject {
    Q_OBJECT

public:
    // `program`: path of `dasgd`; "" if there is none.
    TraceJob(QString program, std::filesystem::path workspace, QObject* parent = nullptr);
    ~TraceJob() override;  // a running job continues without the window

    // Imports trace files as one run. False: a job is running.
    bool import(const QStringList& files);
    // Exports the run. An existing file is replaced, so the caller must have asked the user.
    bool save(const QString& run, const QString& file);
    // Ends the running job. The run begun by an import is kept, as `failed`.
    void cancel();
    [[nodiscard]] bool isBusy() const { return process_ != nullptr; }
    [[nodiscard]] bool isImporting() const { return isBusy() && savedFile_.isEmpty(); }

signals:
    void busyChanged();
    void progressed(int percent);
    // `words`: a sentence on what was imported and what was not; `whole`: nothing was dropped.
    void imported(const QString& run, const QString& words, bool whole);
    void saved(const QString& file);
    void failed(const QString& message);

private:
    bool start(const QStringList& arguments, const QString& what);
    void readLines();
    void end(int status, QProcess::ExitStatus how);

    const QString program_, workspace_;
    std::unique_ptr<QProcess> process_;
    QString what_, savedFile_;
    QByteArray lastLine_, rest_;
};

// Result in the last line of `dasgd import --json`; `run` is "" if it is no such line.
struct ImportedTrace {
    QString run, words;
    bool whole = true;
};
[[nodiscard]] ImportedTrace readImported(const QByteArray& json);

}  // namespace dasgd::gui
