// Starts and stops runs through the `dasgd` program. Each run is a process of its own, which closing the window does
// not affect.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <vector>

namespace dasgd::gui {

// Owned by and called on the UI thread, which also receives the signals. Files and processes are handled on a thread of
// its own.
class Engine : public QObject {
    Q_OBJECT

public:
    enum class Order {
        Now,
        Queued,  // at the end of the workspace's queue; starts a process that works it if there is none
    };
    Q_ENUM(Order)

    // `program`: path of `dasgd`; if empty, the one beside this program, else the one on the PATH.
    explicit Engine(std::filesystem::path workspace, QString program = {}, QObject* parent = nullptr);
    // Waits until all requested commands are started.
    ~Engine() override;

    [[nodiscard]] QString program() const { return program_; }
    // Starts `dasgd run FILE --workspace W`, or `dasgd queue add FILE --work`, detached; its output goes to a log in
    // the workspace. Emits started(), or notStarted() and failed(); later ended(), and failed() if the program ends
    // with an error (a bad file, a dead rank). `cluster`: profile to start it on (`dasgd run --on`), or workspace of
    // another machine whose queue it joins (`dasgd queue add --at`), where `order` is ignored; "" for this host.
    void run(const QString& file, Order order = Order::Now, const QString& cluster = {});
    void stop(const QString& runId) { stop(QStringList{runId}); }
    // Stops all of them at once; queued ones will never start.
    void stop(const QStringList& runs);
    // Continues a run that ended early from its checkpoint, as a new run (`dasgd resume`).
    void resume(const QString& runId);
    // Deletes runs that have ended, for good (`dasgd delete`).
    void remove(const QStringList& runs);
    // Changes queued runs: `action` is a word of `dasgd queue` (hold, release, first, last, up, down).
    void queue(const QString& action, const QStringList& runs);
    // Pauses or resumes the whole queue; resuming starts a process that works it if there is none.
    void setQueuePaused(bool paused);

    // What a command was about.
    struct About {
        QStringList runs;     // empty for an experiment and for the queue as a whole
        bool ofLive = false;  // it asks something of runs under way, and comes too late for others
    };

signals:
    void started(const QString& file, Engine::Order order);
    void notStarted(const QString& file);
    void ended(const QString& file);
    void failed(const QString& message, const Engine::About& about);

private:
    // A program that was started and has not been seen to end.
    struct Program {
        QString log;
        QString what;  // description of the command for messages
        About about;
        QString file;  // the experiment that it starts, "" for other commands
    };
    // The experiment of a command that starts one; `file` is empty for other commands.
    struct Experiment {
        QString file;
        Order order = Order::Now;
    };
    struct Ending;

    void launch(const QStringList& arguments, const QString& what, const About& about, const Experiment& experiment);
    // `error`: "" if the program was started.
    void takeLaunched(const Program& program, const Experiment& experiment, const QString& error);
    void lookAtLogs();
    void takeEndings(const std::vector<Ending>& endings);

    std::filesystem::path workspace_;
    QString program_;
    std::vector<Program> programs_;
    bool looking_ = false;  // a check of the logs runs on the other thread
    int launches_ = 0;
    QTimer timer_;
    QThreadPool pool_;
};

}  // namespace dasgd::gui
