// The `dasgd` program as the window uses it: starting and stopping runs. A run is a process of its own: closing the
// window does not touch it.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>

namespace dasgd::gui {

class Engine : public QObject {
    Q_OBJECT

public:
    // `program`: path of `dasgd`; where empty, the one beside this program, else the one on the PATH.
    explicit Engine(std::filesystem::path workspace, QString program = {}, QObject* parent = nullptr);

    [[nodiscard]] QString program() const { return program_; }
    // Starts `dasgd run FILE --workspace W`, detached; its output goes to a log in the workspace. True when it was
    // started; failed() also comes later, when it ends with an error (a bad file, a dead rank).
    bool run(const QString& file);
    bool stop(const QString& runId) { return stop(QStringList{runId}); }
    // All of them at once; those that are queued never start.
    bool stop(const QStringList& runs);
    // Runs that wait: `action` is a word of `dasgd queue` (hold, release, first, last, up, down).
    bool queue(const QString& action, const QStringList& runs);

signals:
    void started(const QString& file);
    void failed(const QString& message);

private:
    bool launch(const QStringList& arguments, const QString& what);
    void watchEnd(const QString& log, const QString& what);

    std::filesystem::path workspace_;
    QString program_;
};

}  // namespace dasgd::gui
