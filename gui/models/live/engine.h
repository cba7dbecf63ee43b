// The `dasgd` program as the window uses it: starting and stopping runs. A run is a process of its own: closing the
// window does not touch it.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <vector>

namespace dasgd::gui {

// Owner and caller: the UI thread, in which the signals come too. Files and processes are touched on a thread of its
// own.
class Engine : public QObject {
    Q_OBJECT

public:
    enum class Order {
        Now,
        Queued,  // at the end of the workspace's queue, which is then worked where nobody does
    };
    Q_ENUM(Order)

    // `program`: path of `dasgd`; where empty, the one beside this program, else the one on the PATH.
    explicit Engine(std::filesystem::path workspace, QString program = {}, QObject* parent = nullptr);
    // What was asked for until now is started all the same.
    ~Engine() override;

    [[nodiscard]] QString program() const { return program_; }
    // Starts `dasgd run FILE --workspace W`, or `dasgd queue add FILE --work`, detached; its output goes to a log in
    // the workspace. Answered by started(), or by failed() and then notStarted(). failed() also comes later, when it
    // ends with an error (a bad file, a dead rank). `cluster`: the profile to start it on (`dasgd run --on`), or the
    // workspace of another machine whose queue it goes to (`dasgd queue add --at`), "" for this host; there the order
    // is the cluster's.
    void run(const QString& file, Order order = Order::Now, const QString& cluster = {});
    void stop(const QString& runId) { stop(QStringList{runId}); }
    // All of them at once; those that are queued never start.
    void stop(const QStringList& runs);
    // Goes on from the checkpoint of a run that ended early, as a run of its own (`dasgd resume`).
    void resume(const QString& runId);
    // Runs that wait: `action` is a word of `dasgd queue` (hold, release, first, last, up, down).
    void queue(const QString& action, const QStringList& runs);
    // The workspace's queue as a whole: nothing of it starts, or it does, also where nobody works it.
    void setQueuePaused(bool paused);

signals:
    void started(const QString& file, Engine::Order order);
    void notStarted(const QString& file);
    void failed(const QString& message);

private:
    // A program that was started and has not ended.
    struct Program {
        QString log;
        QString what;  // for people
    };
    // An experiment that is to be started; no file of other commands.
    struct Experiment {
        QString file;
        Order order = Order::Now;
    };
    struct Ending;

    void launch(const QStringList& arguments, const QString& what, const Experiment& experiment);
    // `error`: "" where it was started.
    void takeLaunched(const Program& program, const Experiment& experiment, const QString& error);
    void lookAtLogs();
    void takeEndings(const std::vector<Ending>& endings);

    std::filesystem::path workspace_;
    QString program_;
    std::vector<Program> programs_;
    bool looking_ = false;  // at the logs, on the other thread
    int launches_ = 0;
    QTimer timer_;
    QThreadPool pool_;
};

}  // namespace dasgd::gui
