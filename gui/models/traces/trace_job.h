// `dasgd import` and `dasgd export --trace` as the window uses them: one at a time, with progress. UI thread; never
// waits.
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
    // `program`: path of `dasgd`, "" where there is none.
    TraceJob(QString program, std::filesystem::path workspace, QObject* parent = nullptr);
    ~TraceJob() override;  // what is under way goes on without the window

    // Trace files of one run. False: a job is under way already.
    bool import(const QStringList& files);
    // A file that is there is replaced: whoever calls has asked.
    bool save(const QString& run, const QString& file);
    // Ends what is under way. The run that an import has begun stays, as `failed`.
    void cancel();
    [[nodiscard]] bool isBusy() const { return process_ != nullptr; }
    [[nodiscard]] bool isImporting() const { return isBusy() && savedFile_.isEmpty(); }

signals:
    void busyChanged();
    void progressed(int percent);
    // `words`: what was imported and what was not, in a sentence; `whole`: nothing was dropped.
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

// Of the last line of `dasgd import --json`; "" as run where it is none.
struct ImportedTrace {
    QString run, words;
    bool whole = true;
};
[[nodiscard]] ImportedTrace readImported(const QByteArray& json);

}  // namespace dasgd::gui
