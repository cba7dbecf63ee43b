#include "gui/timeline/model/trace_job.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <utility>

#include "gui/kit/words/released_process.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kKillAfterMs = 10'000;

// "12 slices without an end, 3 marks".
QString countsInWords(const QJsonObject& counts) {
    QStringList parts;
    for (auto count = counts.begin(); count != counts.end(); ++count) {
        parts << QStringLiteral("%1 %2").arg(grouped(count.value().toInteger()), count.key());
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace

ImportedTrace readImported(const QByteArray& json) {
    const QJsonObject line = QJsonDocument::fromJson(json).object();
    ImportedTrace result{.run = line[QLatin1String("run")].toString()};
    if (result.run.isEmpty()) return result;
    const qint64 ranks = line[QLatin1String("ranks")].toInteger(), steps = line[QLatin1String("steps")].toInteger();
    QStringList words{QStringLiteral("Imported %1 spans of %2 %3, %4 %5")
                          .arg(grouped(line[QLatin1String("spans")].toInteger()))
                          .arg(ranks)
                          .arg(QLatin1String(ranks == 1 ? "rank" : "ranks"))
                          .arg(steps)
                          .arg(QLatin1String(steps == 1 ? "step" : "steps"))};
    const auto add = [&](const QString& title, const QString& what) {
        if (!what.isEmpty()) words << title + what;
    };
    QStringList stopped;
    for (const QJsonValue& sentence : line[QLatin1String("stopped")].toArray()) stopped << sentence.toString();
    add(QStringLiteral("not read to its end: "), stopped.join(QStringLiteral(", ")));
    add(QStringLiteral("dropped: "), countsInWords(line[QLatin1String("dropped")].toObject()));
    add(QStringLiteral("left out: "), countsInWords(line[QLatin1String("left_out")].toObject()));
    result.whole = stopped.isEmpty() && line[QLatin1String("dropped_count")].toInteger() == 0;
    result.words = words.join(QStringLiteral("; ")) + u'.';
    return result;
}

TraceJob::TraceJob(QString program, std::filesystem::path workspace, QObject* parent)
    : QObject(parent),
      program_(std::move(program)),
      workspace_(QString::fromStdString(std::filesystem::absolute(workspace).string())) {}

TraceJob::~TraceJob() {
    if (process_) releaseProcess(std::move(process_), this);
}

bool TraceJob::import(const QStringList& files) {
    if (files.isEmpty() || isBusy()) return false;
    savedFile_.clear();
    return start(QStringList{QStringLiteral("import")} + files + QStringList{QStringLiteral("--json")},
                 QFileInfo(files.front()).fileName());
}

bool TraceJob::save(const QString& run, const QString& file) {
    if (isBusy()) return false;
    savedFile_ = file;
    return start({QStringLiteral("export"), run, QStringLiteral("--trace"), file, QStringLiteral("--replace")},
                 QFileInfo(file).fileName());
}

void TraceJob::cancel() {
    if (!process_) return;
    QProcess* process = releaseProcess(std::move(process_), this);
    // The process records in its run that it was cancelled.
    process->terminate();
    QTimer::singleShot(kKillAfterMs, process, &QProcess::kill);
    emit busyChanged();
}

bool TraceJob::start(const QStringList& arguments, const QString& what) {
    if (isBusy()) return false;
    if (program_.isEmpty()) {
        emit failed(
            QStringLiteral("There is no `dasgd` program beside this one or on the PATH: build it with ./lab build."));
        return false;
    }
    what_ = what;
    lastLine_.clear();
    rest_.clear();
    process_ = std::make_unique<QProcess>();
    connect(process_.get(), &QProcess::readyReadStandardOutput, this, &TraceJob::readLines);
    connect(process_.get(), &QProcess::finished, this, &TraceJob::end);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(-1, QProcess::CrashExit);
    });
    process_->setStandardInputFile(QProcess::nullDevice());
    process_->start(program_, arguments + QStringList{QStringLiteral("--workspace"), workspace_});
    emit busyChanged();
    return true;
}

void TraceJob::readLines() {
    rest_ += process_->readAllStandardOutput();
    for (qsizetype end = rest_.indexOf('\n'); end >= 0; end = rest_.indexOf('\n')) {
        lastLine_ = rest_.left(end);
        rest_.remove(0, end + 1);
        const QJsonObject line = QJsonDocument::fromJson(lastLine_).object();
        if (line.contains(QLatin1String("progress"))) emit progressed(line[QLatin1String("progress")].toInt());
    }
}

void TraceJob::end(int status, QProcess::ExitStatus how) {
    if (!process_) return;
    readLines();
    const QString errors = QString::fromUtf8(process_->readAllStandardError()).trimmed();
    // The process is the sender of the signal being handled, so it must not be deleted here.
    process_.release()->deleteLater();
    emit busyChanged();
    if (status != 0 || how != QProcess::NormalExit) {
        emit failed(what_ + QStringLiteral(": ") +
                    (errors.isEmpty() ? QStringLiteral("the import has ended unexpectedly") : errors));
    } else if (!savedFile_.isEmpty()) {
        emit saved(savedFile_);
    } else if (const ImportedTrace trace = readImported(lastLine_); !trace.run.isEmpty()) {
        emit imported(trace.run, trace.words, trace.whole);
    } else {
        emit failed(what_ + QStringLiteral(": the import has not said which run it made"));
    }
}

}  // namespace dasgd::gui
