#include "gui/scaling/model/reports/job_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <algorithm>
#include <array>
#include <csignal>

namespace dasgd::gui {

namespace {

constexpr qint64 kMostOutput = 16 << 20, kTail = 8000;
constexpr std::array kEndings{".out", ".err", ".status", ".version"};

// The first argument is the stem, by which the process is also recognised. A signal is passed on to the program, which
// ends its ranks at a common step; an interrupted `wait` is repeated, and returns 127 if the program had already ended.
// The script does not test whether the program still exists, as a shell may learn of its end before it waits for it.
// After a signal before the start the program is not started; a child may lose a signal before its exec, hence the
// sleep.
constexpr const char* kJobScript = R"(
child= stopped= interrupted=
trap 'interrupted=1; if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; else stopped=1; fi' TERM INT
stem=$1; shift
"$1" --version >"$stem.version" 2>/dev/null
status=143
if [ -z "$stopped" ]; then
    "$@" >"$stem.out" 2>"$stem.err" </dev/null &
    child=$!
    [ -z "$stopped" ] || { sleep 0.1; kill -TERM "$child" 2>/dev/null; }
    status=
    while :; do
        interrupted=
        wait "$child"; ended=$?
        [ -n "$status" ] && [ "$ended" -eq 127 ] && break
        status=$ended
        [ -n "$interrupted" ] || break
    done
fi
printf '%s\n' "$status" >"$stem.part" && mv "$stem.part" "$stem.status"
)";

QByteArray contentOf(const QString& path, qint64 last) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    file.seek(std::max<qint64>(0, file.size() - last));
    return file.read(last);
}

bool isJob(const JobPlace& place, qint64 process) {
    if (process <= 0) return false;
    QFile file(QStringLiteral("/proc/%1/cmdline").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return false;
    return file.readAll().split('\0').contains(place.stem.toUtf8());
}

}  // namespace

qint64 startJob(const JobPlace& place, const QString& program, const QStringList& arguments) {
    QDir().mkpath(QFileInfo(place.stem).path());
    QProcess process;
    process.setProgram(QStringLiteral("/bin/sh"));
    process.setArguments(QStringList{QStringLiteral("-c"), QString::fromLatin1(kJobScript), QStringLiteral("dasgd-job"),
                                     place.stem, program} +
                         arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setStandardErrorFile(QProcess::nullDevice());
    qint64 id = 0;
    return process.startDetached(&id) ? id : 0;
}

JobState lookAtJob(const JobPlace& place, qint64 process) {
    JobState state;
    // Read before the status, which a job that ends in between has written by then.
    state.alive = isJob(place, process);
    const QByteArray status = contentOf(place.stem + QStringLiteral(".status"), 64).trimmed();
    state.version = QString::fromUtf8(contentOf(place.stem + QStringLiteral(".version"), 256)).trimmed();
    if (!status.isEmpty()) state.status = status.toInt();
    const bool ended = state.status.has_value() || !state.alive;
    state.errors = contentOf(place.stem + QStringLiteral(".err"), ended ? kMostOutput : kTail);
    if (ended) state.output = contentOf(place.stem + QStringLiteral(".out"), kMostOutput);
    return state;
}

void stopJob(const JobPlace& place, qint64 process) {
    if (isJob(place, process)) ::kill(static_cast<pid_t>(process), SIGTERM);
}

void removeJobFiles(const JobPlace& place) {
    for (const char* ending : kEndings) QFile::remove(place.stem + QLatin1String(ending));
}

}  // namespace dasgd::gui
