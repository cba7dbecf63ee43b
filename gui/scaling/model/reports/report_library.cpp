#include "gui/scaling/model/reports/report_library.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kLookMs = 250, kOthersMs = 2000;
constexpr qint64 kMostRead = 32 << 20;
const QString kEnding = QStringLiteral(".json");

std::optional<Report> readReport(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    return reportOf(QFileInfo(path).completeBaseName(), QJsonDocument::fromJson(file.read(kMostRead)).object());
}

std::vector<Report> readAll(const QString& folder) {
    std::vector<Report> all;
    for (const QFileInfo& info : QDir(folder).entryInfoList({u'*' + kEnding}, QDir::Files, QDir::Name)) {
        if (const auto report = readReport(info.filePath())) all.push_back(*report);
    }
    return all;
}

// The canonical path, so that a job's name does not depend on how the workspace was given.
QString canonicalPath(const std::filesystem::path& workspace) {
    std::error_code unknown;
    const auto real = std::filesystem::weakly_canonical(workspace, unknown);
    return QString::fromStdString((unknown ? std::filesystem::absolute(workspace) : real).string());
}

}  // namespace

ReportLibrary::ReportLibrary(const std::filesystem::path& workspace, QString program, QObject* parent)
    : QObject(parent), workspace_(canonicalPath(workspace)), program_(std::move(program)) {
    folder_ = workspace_ + QStringLiteral("/reports");
    pool_.setMaxThreadCount(1);
    timer_.setInterval(kLookMs);
    connect(&timer_, &QTimer::timeout, this, &ReportLibrary::look);
    connect(&files_, &ExperimentFiles::written, this, [this] {
        const QString name = writing_.front();
        writing_.erase(writing_.begin());
        launch(name);
    });
    connect(&files_, &ExperimentFiles::failed, this, [this](const QString& message) {
        const QString name = writing_.front();
        writing_.erase(writing_.begin());
        giveUp(name, message);
    });
    others_.setInterval(kOthersMs);
    connect(&others_, &QTimer::timeout, this, &ReportLibrary::load);
    others_.start();
    load();
}

ReportLibrary::~ReportLibrary() { pool_.waitForDone(); }

QString ReportLibrary::pathOf(const QString& name, const char* ending) const {
    return folder_ + u'/' + name + QLatin1String(ending);
}

JobPlace ReportLibrary::placeOf(const QString& name) const { return {folder_ + QStringLiteral("/.running/") + name}; }

const Report* ReportLibrary::find(const QString& name) const {
    const auto found = std::ranges::find(reports_, name, &Report::name);
    return found == reports_.end() ? nullptr : &*found;
}

Report* ReportLibrary::edit(const QString& name) { return const_cast<Report*>(find(name)); }

void ReportLibrary::load() {
    pool_.start([this, folder = folder_] {
        const QDateTime modified = QFileInfo(folder).lastModified();
        if (modified.isValid() && modified == changedOnDisk_) return;
        changedOnDisk_ = modified;
        auto read = readAll(folder);
        QMetaObject::invokeMethod(this, [this, read = std::move(read)] {
            const std::size_t before = reports_.size();
            for (const Report& report : read) {
                if (!find(report.name) && !gone_.contains(report.name)) reports_.push_back(report);
            }
            if (std::exchange(loaded_, true) && reports_.size() == before) return;
            std::ranges::stable_sort(reports_, std::greater<>(), &Report::started);
            const bool any = std::ranges::any_of(reports_, [](const Report& one) { return one.process > 0; });
            if (any) timer_.start();
            emit changed();
        });
    });
}

QString ReportLibrary::start(JobRequest request) {
    QString why = problemOf(request);
    if (why.isEmpty() && program_.isEmpty()) {
        why = tr("There is no `dasgd` program beside this one or on the PATH: build it with ./lab build.");
    }
    if (!why.isEmpty()) {
        fail(why);
        return {};
    }
    const QDateTime now = QDateTime::currentDateTimeUtc();
    // The time makes the name differ from those of reports not read yet.
    const QString stem = commandOf(request.kind) + u'-' + fileStem(request.title) + u'-' +
                         now.toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString name = stem;
    for (int i = 2; find(name); ++i) name = stem + QStringLiteral("-%1").arg(i);
    const QString text = request.text, folder = std::exchange(request.folder, {});
    reports_.insert(reports_.begin(),
                    Report{.name = name, .asked = std::move(request), .started = now, .program = program_});
    problem_.clear();
    emit pageWanted();
    emit changed();
    emit started(name);
    if (text.isEmpty()) {
        launch(name);
    } else {
        writing_.push_back(name);
        files_.write(pathOf(name, ".toml"), text, ExperimentFiles::Existing::Overwrite, folder);
    }
    return name;
}

void ReportLibrary::launch(const QString& name) {
    const Report* report = find(name);
    if (!report) return;
    const QStringList arguments =
        argumentsOf(report->asked, pathOf(name, ".toml"), calibrationOf(name)) + QStringList{"--workspace", workspace_};
    pool_.start([this, name, place = placeOf(name), program = program_, arguments] {
        const qint64 process = startJob(place, program, arguments);
        QMetaObject::invokeMethod(this, [this, name, process] {
            Report* started = edit(name);
            if (!started) return;
            if (process == 0) return giveUp(name, tr("/bin/sh cannot be started."));
            started->process = process;
            write(*started);
            timer_.start();
        });
    });
}

void ReportLibrary::look() {
    std::vector<std::pair<QString, qint64>> running;
    for (const Report& one : reports_) {
        if (one.state == ReportState::Running && one.process > 0) running.emplace_back(one.name, one.process);
    }
    if (running.empty()) timer_.stop();
    if (looking_ || running.empty()) return;
    looking_ = true;
    pool_.start([this, running = std::move(running)] {
        std::vector<Seen> seen;
        for (const auto& [name, process] : running) {
            Seen one{.name = name, .job = lookAtJob(placeOf(name), process), .kept = {}};
            // Read after the job's files, as another window writes the report before it removes them.
            if (one.job.status || !one.job.alive) one.kept = readReport(pathOf(name, ".json"));
            seen.push_back(std::move(one));
        }
        QMetaObject::invokeMethod(this, [this, seen = std::move(seen)] {
            looking_ = false;
            for (const Seen& one : seen) takeLook(one);
        });
    });
}

void ReportLibrary::takeLook(const Seen& seen) {
    Report* report = edit(seen.name);
    const JobState& state = seen.job;
    if (!report || report->state != ReportState::Running) return;
    if (seen.kept && seen.kept->state != ReportState::Running) {
        *report = *seen.kept;
        emit changed();
        emit ended(seen.name);
        return;
    }
    report->version = state.version;
    if (!state.status && state.alive) {
        if (const auto progress = lastProgress(state.errors)) report->progress = *progress;
        missed_.erase(seen.name);
        emit changed();
        return;
    }
    // A process that is just becoming the job's shell has no command line for an instant.
    if (!state.status && missed_.insert(seen.name).second) return;
    if (state.status) {
        conclude(*report, state.output, state.errors, *state.status);
    } else if (report->stopping) {
        report->state = ReportState::Stopped;
    } else {
        report->state = ReportState::Failed;
        report->error =
            tr("dasgd is gone without having ended: it was killed, or the computer was switched off. The "
               "runs that it finished are kept; start it again.");
    }
    end(*report, state.status ? JobFiles::Remove : JobFiles::Keep);
}

void ReportLibrary::end(Report& report, JobFiles files) {
    report.ended = QDateTime::currentDateTimeUtc();
    report.stopping = false;
    const QString name = report.name;
    write(report, files);
    emit changed();
    emit ended(name);
}

void ReportLibrary::giveUp(const QString& name, const QString& why) {
    Report* report = edit(name);
    if (!report) return;
    report->state = ReportState::Failed;
    report->error = why;
    end(*report, JobFiles::Keep);
}

void ReportLibrary::fail(const QString& message) {
    problem_ = message;
    emit failed(message);
}

void ReportLibrary::write(const Report& report, JobFiles files) {
    pool_.start([this, path = pathOf(report.name, ".json"), place = placeOf(report.name), files,
                 text = QJsonDocument(jsonOf(report)).toJson()] {
        QDir().mkpath(folder_);
        QSaveFile file(path);
        if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) {
            if (files == JobFiles::Remove) removeJobFiles(place);
            return;
        }
        const QString why = path + QStringLiteral(": ") + file.errorString() +
                            QStringLiteral(
                                ". Is the workspace writable? What the job left is kept beside it, for the next start "
                                "of the window.");
        QMetaObject::invokeMethod(this, [this, why] { fail(why); });
    });
}

void ReportLibrary::stop(const QString& name) {
    Report* report = edit(name);
    if (!report || report->state != ReportState::Running || report->process == 0) return;
    report->stopping = true;
    pool_.start([place = placeOf(name), process = report->process] { stopJob(place, process); });
    emit changed();
}

void ReportLibrary::remove(const QString& name) {
    const Report* report = find(name);
    if (!report || report->state == ReportState::Running) return;
    removed_.push_back(*report);
    gone_.insert(name);
    std::erase_if(reports_, [&](const Report& one) { return one.name == name; });
    pool_.start([this, name, path = pathOf(name, ".json"), text = pathOf(name, ".toml"), place = placeOf(name)] {
        if (!QFile::remove(path) && QFile::exists(path)) {
            QMetaObject::invokeMethod(this, [this, name, path] {
                takeBack(name);
                fail(path + tr(": cannot be deleted. Is the folder writable?"));
            });
            return;
        }
        QFile::remove(text);
        removeJobFiles(place);
    });
    emit changed();
}

void ReportLibrary::takeBack(const QString& name) {
    const auto last =
        std::find_if(removed_.rbegin(), removed_.rend(), [&](const Report& one) { return one.name == name; });
    if (last == removed_.rend()) return;
    reports_.push_back(std::move(*last));
    removed_.erase(std::next(last).base());
    gone_.erase(name);
    std::ranges::stable_sort(reports_, std::greater<>(), &Report::started);
    emit changed();
}

QString ReportLibrary::restore() {
    if (removed_.empty()) return {};
    const QString name = removed_.back().name;
    takeBack(name);
    write(*find(name));
    return name;
}

}  // namespace dasgd::gui
