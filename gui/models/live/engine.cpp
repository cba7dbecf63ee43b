#include "gui/models/live/engine.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>
#include <optional>

namespace dasgd::gui {

namespace {

constexpr int kWatchMs = 200;
constexpr int kStopped = 130;

// Runs its arguments with both outputs in the first one, and ends that file with the exit status: a detached process
// has no other way to tell us.
constexpr const char* kShell = R"(log=$1; shift; "$@" >"$log" 2>&1; printf '\nexit %d\n' $? >>"$log")";

struct Ending {
    int status = 0;
    QString words;  // the last lines before
};

// Nullopt while the program runs.
std::optional<Ending> endingOf(const QString& log) {
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    file.seek(std::max<qint64>(0, file.size() - 4000));
    QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (lines.isEmpty() || !lines.last().startsWith(QLatin1String("exit "))) return std::nullopt;
    Ending ending{.status = lines.takeLast().mid(5).toInt()};
    ending.words = lines.mid(std::max<qsizetype>(0, lines.size() - 3)).join(QStringLiteral(" · "));
    return ending;
}

}  // namespace

Engine::Engine(std::filesystem::path workspace, QString program, QObject* parent)
    : QObject(parent), workspace_(std::move(workspace)), program_(std::move(program)) {
    if (!program_.isEmpty()) return;
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("dasgd"));
    program_ = QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(QStringLiteral("dasgd"));
}

bool Engine::run(const QString& file) {
    if (!launch({QStringLiteral("run"), file}, QFileInfo(file).fileName())) return false;
    emit started(file);
    return true;
}

bool Engine::stop(const QStringList& runs) {
    if (runs.isEmpty()) return true;
    const QString what = runs.size() == 1 ? runs.front() : QStringLiteral("%1 runs").arg(runs.size());
    return launch(QStringList{QStringLiteral("stop")} + runs, QStringLiteral("stop ") + what);
}

bool Engine::queue(const QString& action, const QStringList& runs) {
    if (runs.isEmpty()) return true;
    return launch(QStringList{QStringLiteral("queue"), action} + runs, QStringLiteral("queue ") + action);
}

bool Engine::launch(const QStringList& arguments, const QString& what) {
    if (program_.isEmpty()) {
        emit failed(
            QStringLiteral("There is no `dasgd` program beside this one or on the PATH: build it with ./lab build."));
        return false;
    }
    const QString workspace = QString::fromStdString(std::filesystem::absolute(workspace_).string());
    const QString logs = workspace + QStringLiteral("/logs");
    if (!QDir().mkpath(logs)) {
        emit failed(logs + QStringLiteral(": cannot be made. Choose a workspace that you may write to."));
        return false;
    }
    const QString log = logs + QStringLiteral("/lab-") +
                        QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")) +
                        QStringLiteral(".log");
    QProcess process;
    process.setProgram(QStringLiteral("/bin/sh"));
    process.setArguments(
        QStringList{QStringLiteral("-c"), QString::fromLatin1(kShell), QStringLiteral("dasgd-lab"), log, program_} +
        arguments + QStringList{QStringLiteral("--workspace"), workspace});
    process.setStandardInputFile(QProcess::nullDevice());
    if (!process.startDetached()) {
        emit failed(program_ + QStringLiteral(": cannot be started (") + process.errorString() +
                    QStringLiteral("). Build it with ./lab build."));
        return false;
    }
    watchEnd(log, what);
    return true;
}

void Engine::watchEnd(const QString& log, const QString& what) {
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, [this, timer, log, what] {
        const std::optional<Ending> ending = endingOf(log);
        if (!ending) return;
        timer->stop();
        timer->deleteLater();
        if (ending->status == 0) {
            QFile::remove(log);
        } else if (ending->status != kStopped) {
            emit failed(
                what + QStringLiteral(": ") +
                (ending->words.isEmpty() ? QStringLiteral("exit status %1").arg(ending->status) : ending->words));
        }
    });
    timer->start(kWatchMs);
}

}  // namespace dasgd::gui
