#include "gui/data/session/engine.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <algorithm>
#include <optional>
#include <utility>

#include "gui/data/session/clusters.h"
#include "gui/kit/words/cli_message.h"

namespace dasgd::gui {

struct Engine::Ending {
    QString log;
    int status = 0;
    QString words;  // last lines before the exit status
};

namespace {

constexpr int kWatchMs = 200;
constexpr int kStopped = 130;

// Runs its arguments with both outputs in the log, its first argument, and ends the log with the exit status, which a
// detached process cannot report otherwise.
constexpr const char* kShell = R"(log=$1; shift; "$@" >"$log" 2>&1; printf '\nexit %d\n' $? >>"$log")";

// Starts the program with this log, whose folder is created. Returns the error, or "".
QString startLogged(const QString& program, const QStringList& arguments, const QString& log) {
    const QString folder = QFileInfo(log).path();
    if (!QDir().mkpath(folder)) {
        return folder + QStringLiteral(": cannot be made. Choose a workspace that you may write to.");
    }
    QProcess process;
    process.setProgram(QStringLiteral("/bin/sh"));
    process.setArguments(
        QStringList{QStringLiteral("-c"), QString::fromLatin1(kShell), QStringLiteral("dasgd-lab"), log, program} +
        arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    if (process.startDetached()) return {};
    return program + QStringLiteral(": cannot be started (") + process.errorString() +
           QStringLiteral("). Build it with ./lab build.");
}

// The exit status and the last lines before it; nullopt while the program runs.
std::optional<std::pair<int, QString>> endingOf(const QString& log) {
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    file.seek(std::max<qint64>(0, file.size() - 4000));
    QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (lines.isEmpty() || !lines.last().startsWith(QLatin1String("exit "))) return std::nullopt;
    const int status = lines.takeLast().mid(5).toInt();
    return std::pair(status, lines.mid(std::max<qsizetype>(0, lines.size() - 3)).join(QStringLiteral(" · ")));
}

QString runsInWords(const QStringList& runs) {
    return runs.size() == 1 ? runs.front() : QStringLiteral("%1 runs").arg(runs.size());
}

// Removes the program's name from its message, and does not repeat the run's id if the message has it.
QString failureInWords(const QString& what, int status, QString said) {
    said = withoutProgramName(std::move(said));
    if (said.isEmpty()) return QStringLiteral("%1: exit status %2").arg(what).arg(status);
    const QString named = what.section(QLatin1Char(' '), -1);
    const QString asked =
        what.contains(QLatin1Char(' ')) && said.contains(named) ? what.section(QLatin1Char(' '), 0, -2) : what;
    return asked + QStringLiteral(": ") + said;
}

}  // namespace

Engine::Engine(std::filesystem::path workspace, QString program, QObject* parent)
    : QObject(parent), workspace_(std::move(workspace)), program_(std::move(program)) {
    // One thread, so that commands start in the order of the requests.
    pool_.setMaxThreadCount(1);
    timer_.setInterval(kWatchMs);
    connect(&timer_, &QTimer::timeout, this, &Engine::lookAtLogs);
    if (!program_.isEmpty()) return;
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("dasgd"));
    program_ = QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(QStringLiteral("dasgd"));
}

Engine::~Engine() { pool_.waitForDone(); }

void Engine::run(const QString& file, Order order, const QString& cluster) {
    QStringList arguments{QStringLiteral("run"), file};
    if (isRemoteWorkspace(cluster)) {
        arguments = {QStringLiteral("queue"), QStringLiteral("add"), file, QStringLiteral("--at"), cluster,
                     QStringLiteral("--work")};
    } else if (!cluster.isEmpty()) {
        // On a cluster its own scheduler queues the run, whatever `order` says.
        arguments << QStringLiteral("--on") << cluster;
    } else if (order == Order::Queued) {
        arguments = {QStringLiteral("queue"), QStringLiteral("add"), file, QStringLiteral("--work")};
    }
    launch(arguments, QFileInfo(file).fileName(), {}, {file, order});
}

void Engine::stop(const QStringList& runs) {
    if (runs.isEmpty()) return;
    launch(QStringList{QStringLiteral("stop")} + runs, QStringLiteral("stop ") + runsInWords(runs), {runs, true}, {});
}

void Engine::resume(const QString& runId) {
    launch({QStringLiteral("resume"), runId}, QStringLiteral("resume ") + runId, {QStringList{runId}}, {});
}

void Engine::remove(const QStringList& runs) {
    if (runs.isEmpty()) return;
    launch(QStringList{QStringLiteral("delete")} + runs, QStringLiteral("delete ") + runsInWords(runs), {runs}, {});
}

void Engine::queue(const QString& action, const QStringList& runs) {
    if (runs.isEmpty()) return;
    QStringList arguments = QStringList{QStringLiteral("queue"), action} + runs;
    // A released run may start at once, so a process must work the queue.
    if (action == QLatin1String("release")) arguments << QStringLiteral("--work");
    launch(arguments, QStringLiteral("queue ") + action, {runs, true}, {});
}

void Engine::setQueuePaused(bool paused) {
    const QString action = paused ? QStringLiteral("pause") : QStringLiteral("resume");
    QStringList arguments{QStringLiteral("queue"), action};
    // Queued runs may start at once, so a process must work the queue.
    if (!paused) arguments << QStringLiteral("--work");
    launch(arguments, QStringLiteral("queue ") + action, {}, {});
}

void Engine::launch(const QStringList& arguments, const QString& what, const About& about,
                    const Experiment& experiment) {
    if (program_.isEmpty()) {
        return takeLaunched({{}, {}, about, {}}, experiment,
                            QStringLiteral("There is no `dasgd` program beside this one or on the PATH: build it with "
                                           "./lab build."));
    }
    const QString workspace = QString::fromStdString(std::filesystem::absolute(workspace_).string());
    const QString log = QStringLiteral("%1/logs/lab-%2-%3.log")
                            .arg(workspace, QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd-HHmmss-zzz"))
                            .arg(++launches_);
    const QStringList all = arguments + QStringList{QStringLiteral("--workspace"), workspace};
    pool_.start([this, all, experiment, name = program_, program = Program{log, what, about, experiment.file}] {
        const QString error = startLogged(name, all, program.log);
        // Not delivered if this object has been destroyed meanwhile.
        QMetaObject::invokeMethod(
            this, [=, this] { takeLaunched(program, experiment, error); }, Qt::QueuedConnection);
    });
}

void Engine::takeLaunched(const Program& program, const Experiment& experiment, const QString& error) {
    if (!error.isEmpty()) {
        if (!experiment.file.isEmpty()) emit notStarted(experiment.file);
        emit failed(error, program.about);
        return;
    }
    programs_.push_back(program);
    timer_.start();
    if (!experiment.file.isEmpty()) emit started(experiment.file, experiment.order);
}

void Engine::lookAtLogs() {
    if (looking_) return;
    looking_ = true;
    pool_.start([this, programs = programs_] {
        std::vector<Ending> endings;
        for (const Program& program : programs) {
            const auto ending = endingOf(program.log);
            if (!ending) continue;
            endings.push_back({program.log, ending->first, ending->second});
            if (ending->first == 0) QFile::remove(program.log);
        }
        QMetaObject::invokeMethod(
            this, [this, endings] { takeEndings(endings); }, Qt::QueuedConnection);
    });
}

void Engine::takeEndings(const std::vector<Ending>& endings) {
    looking_ = false;
    for (const Ending& ending : endings) {
        const auto program = std::ranges::find(programs_, ending.log, &Program::log);
        if (program == programs_.end()) continue;
        const Program one = *program;
        programs_.erase(program);
        if (!one.file.isEmpty()) emit ended(one.file);
        if (ending.status == 0 || ending.status == kStopped) continue;
        emit failed(failureInWords(one.what, ending.status, ending.words), one.about);
    }
    if (programs_.empty()) timer_.stop();
}

}  // namespace dasgd::gui
