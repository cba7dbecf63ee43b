#include "gui/data/session/remote_mirror.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <utility>

#include "gui/kit/words/released_process.h"
#include "gui/kit/words/settings_file.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kKillMirrorAfterMs = 10'000;
const QString kRemoteKey = QStringLiteral("remote/url");

}  // namespace

QString mirrorInWords(const QByteArray& json) {
    const QJsonObject line = QJsonDocument::fromJson(json).object();
    const QString url = line[QLatin1String("mirror")].toString(), state = line[QLatin1String("state")].toString();
    if (url.isEmpty()) return {};
    if (state == QLatin1String("up to date")) return QStringLiteral("mirrors %1").arg(url);
    if (state == QLatin1String("connected")) return QStringLiteral("mirrors %1, catching up").arg(url);
    return QStringLiteral("%1 lost: %2; again in %3 s")
        .arg(url, line[QLatin1String("why")].toString())
        .arg(line[QLatin1String("again_s")].toDouble(), 0, 'g', 3);
}

RemoteMirror::RemoteMirror(QString program, std::filesystem::path workspace, QObject* parent)
    : QObject(parent),
      program_(std::move(program)),
      workspace_(QString::fromStdString(std::filesystem::absolute(workspace).string())) {}

// Closing its standard input ends the mirror process.
RemoteMirror::~RemoteMirror() {
    if (process_) releaseProcess(std::move(process_), this)->closeWriteChannel();
}

QString RemoteMirror::lastUrl() { return settingsFile().value(kRemoteKey).toString(); }

void RemoteMirror::open(const QString& url) {
    close();
    url_ = url.trimmed();
    if (program_.isEmpty()) {
        return say(QStringLiteral("There is no `dasgd` program beside this one or on the PATH"));
    }
    keepSettings([url = url_](QSettings& settings) { settings.setValue(kRemoteKey, url); });
    rest_.clear();
    lastError_.clear();
    process_ = std::make_unique<QProcess>();
    connect(process_.get(), &QProcess::readyReadStandardOutput, this, &RemoteMirror::readLines);
    connect(process_.get(), &QProcess::readyReadStandardError, this, &RemoteMirror::readErrors);
    connect(process_.get(), &QProcess::finished, this, &RemoteMirror::end);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(-1, QProcess::CrashExit);
    });
    process_->start(program_, {QStringLiteral("mirror"), url_, QStringLiteral("--json"),
                               QStringLiteral("--while-input"), QStringLiteral("--workspace"), workspace_});
    say(QStringLiteral("connects to %1").arg(url_));
}

void RemoteMirror::close() {
    if (!process_) return;
    QProcess* process = releaseProcess(std::move(process_), this);
    process->terminate();
    QTimer::singleShot(kKillMirrorAfterMs, process, &QProcess::kill);
    say({});
}

void RemoteMirror::say(const QString& words) {
    words_ = words;
    emit changed();
}

void RemoteMirror::readLines() {
    rest_ += process_->readAllStandardOutput();
    for (qsizetype end = rest_.indexOf('\n'); end >= 0; end = rest_.indexOf('\n')) {
        const QString words = mirrorInWords(rest_.left(end));
        rest_.remove(0, end + 1);
        if (!words.isEmpty()) say(words);
    }
}

void RemoteMirror::readErrors() {
    const QStringList lines = QString::fromUtf8(process_->readAllStandardError()).split(u'\n', Qt::SkipEmptyParts);
    if (!lines.isEmpty()) lastError_ = lines.back();
}

void RemoteMirror::end(int status, QProcess::ExitStatus how) {
    if (!process_) return;
    readLines();
    readErrors();
    // The process is the sender of the signal being handled, so it must not be deleted here.
    process_.release()->deleteLater();
    const bool well = status == 0 && how == QProcess::NormalExit;
    say(well ? QString()
             : (lastError_.isEmpty() ? QStringLiteral("the mirror of %1 has ended unexpectedly").arg(url_)
                                     : lastError_));
}

}  // namespace dasgd::gui
