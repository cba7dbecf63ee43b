#include "gui/experiment/model/document/dry_run.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QUuid>

#include "gui/experiment/model/document/forecast_json.h"
#include "gui/kit/words/cli_message.h"

namespace dasgd::gui {

namespace {

// Writes its input to a file, links the files that the text names beside it, and checks it. A shell writes the file, so
// that the UI thread does not wait for the disk. The file name is new each time, so that it cannot be a link to a file
// of the user. Arguments: program, file, workspace, calibration's run, folder of the named files, number of names, the
// names, then name and content of each embedded file.
constexpr const char* kCheckScript = R"(
program=$1 file=$2 workspace=$3 run=$4 folder=$5 names=$6
shift 6
place=$(dirname "$file")
mkdir -p "$place" && rm -f "$place"/draft-* && cat >"$file" || exit 1
while [ "$names" -gt 0 ]; do
    [ -e "$folder/$1" ] && ln -sfn "$folder/$1" "$place/$1"
    names=$((names - 1))
    shift
done
while [ $# -gt 1 ]; do
    printf '%s' "$2" >"$place/$1"
    shift 2
done
exec "$program" run "$file" --dry-run --json ${workspace:+--workspace "$workspace"} ${run:+--forecast-from "$run"}
)";

QStringList checkArguments(const QStringList& first, const QString& folder, const QString& text) {
    QStringList links, embedded;
    const QStringList named = folder.isEmpty() ? QStringList() : namedFiles(text);
    for (const QString& name : named) {
        if (!folder.startsWith(u':')) {
            links << name;
        } else if (QFile source(folder + u'/' + name); source.open(QIODevice::ReadOnly)) {
            embedded << name << QString::fromUtf8(source.readAll());
        }
    }
    return QStringList{QStringLiteral("-c"), QString::fromLatin1(kCheckScript), QStringLiteral("dasgd-lab")} + first +
           QStringList{folder, QString::number(links.size())} + links + embedded;
}

QString missingProgram(const QString& program) {
    return QStringLiteral("%1 cannot be started, so nothing was checked. Build it with ./lab build.").arg(program);
}

Problem engineProblem(QString message, const QString& file) {
    static const QRegularExpression place(QStringLiteral("^:(\\d+):(\\d+): (.*)$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    message = withoutProgramName(std::move(message));
    if (!message.startsWith(file)) return {.message = message};
    message.remove(0, file.size());
    const auto match = place.match(message);
    if (match.hasMatch()) {
        return {.line = match.captured(1).toInt(), .column = match.captured(2).toInt(), .message = match.captured(3)};
    }
    return {.message = message.startsWith(QLatin1String(": ")) ? message.mid(2) : message};
}

}  // namespace

DryRunResult readDryRun(const QByteArray& output, const QByteArray& errors, int status, const QString& file) {
    DryRunResult result;
    if (status != 0) {
        const QString said = QString::fromUtf8(errors).trimmed();
        result.problem = engineProblem(
            said.isEmpty() ? QStringLiteral("dasgd ended with exit status %1 and said nothing").arg(status) : said,
            file);
        return result;
    }
    for (qsizetype begin = 0, end = 0; begin < output.size(); begin = end + 1) {
        end = output.indexOf('\n', begin);
        if (end < 0) end = output.size();
        if (end == begin) continue;
        const QByteArray line = QByteArray::fromRawData(output.constData() + begin, end - begin);
        const bool isForecast = line.startsWith("{\"forecast\"");
        if (!isForecast && result.runs.size() >= DryRunResult::kMostRead) {
            ++result.total;
            continue;
        }
        const QJsonObject run = QJsonDocument::fromJson(line).object();
        if (run.isEmpty()) continue;
        if (isForecast) {
            result.forecast = planForecastOf(run[QLatin1String("forecast")].toObject());
            continue;
        }
        ++result.total;
        result.runs.push_back({.label = run[QLatin1String("label")].toString(),
                               .algorithm = run[QLatin1String("algorithm")].toString(),
                               .steps = run[QLatin1String("steps")].toInteger(),
                               .parameters = run[QLatin1String("parameters")].toInteger(),
                               .workers = run[QLatin1String("workers")].toInt(),
                               .config = run[QLatin1String("config")].toString().toStdString()});
    }
    return result;
}

QString withoutForeignCase(const QString& message, const QString& key, const QStringList& varied) {
    static const QRegularExpression ofCase(QStringLiteral(" \\(in the sweep: [^\n]*\\)$"));
    const auto match = ofCase.match(message);
    if (key.isEmpty() || !match.hasMatch()) return message;
    const QString said = message.left(match.capturedStart());
    for (const QString& one : varied) {
        const QRegularExpression word(
            QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(one.section(u'.', -1))));
        if (key == one || key.startsWith(one + u'.') || said.contains(word)) return message;
    }
    return said;
}

DryRun::DryRun(QString program, int patienceMs, QObject* parent) : QObject(parent), program_(std::move(program)) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDebounceMs);
    connect(&timer_, &QTimer::timeout, this, &DryRun::start);
    patience_.setSingleShot(true);
    patience_.setInterval(patienceMs);
    connect(&patience_, &QTimer::timeout, this, [this] {
        cancel();
        emit answered({.problem = Problem{.message = tr("dasgd gave no answer for %1 s, so the text is not checked. "
                                                        "`dasgd run FILE --dry-run` in a shell shows how far it gets.")
                                                         .arg(patience_.interval() / 1000)},
                       .tookMs = clock_.elapsed()});
    });
}

DryRun::~DryRun() { cancel(); }

void DryRun::ask(const QString& text, const QString& folder) {
    cancel();
    text_ = text;
    folder_ = folder;
    timer_.start();
}

void DryRun::askNow(const QString& text, const QString& folder) {
    ask(text, folder);
    timer_.stop();
    start();
}

void DryRun::cancel() {
    timer_.stop();
    patience_.stop();
    if (!process_) return;
    process_->disconnect(this);
    process_->kill();
    // Deleting a running QProcess would wait for its end.
    connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
    process_->setParent(nullptr);
    process_ = nullptr;
}

void DryRun::start() {
    if (program_.isEmpty()) {
        emit answered({.problem = Problem{.message = missingProgram(tr("dasgd"))}});
        return;
    }
    if (!scratch_) scratch_ = std::make_unique<QTemporaryDir>();
    // Each base folder gets a folder of its own here, as one used before may hold other files.
    const QString name = QStringLiteral("/draft-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    file_ = scratch_->filePath(QString::number(qHash(folder_), 16)) + name + QStringLiteral(".toml");
    clock_.start();
    patience_.start();
    process_ = new QProcess(this);
    process_->setProgram(QStringLiteral("/bin/sh"));
    process_->setArguments(checkArguments({program_, file_, workspace_, calibration_}, folder_, text_));
    connect(process_, &QProcess::finished, this, [this](int code) { finish(code); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) finish(-1);
    });
    process_->start();
    // finish() may already have been called by a failed start.
    if (!process_) return;
    process_->write(text_.toUtf8());
    process_->closeWriteChannel();
}

void DryRun::finish(int status) {
    constexpr int kCannotExecute = 126, kNotFound = 127;  // exit statuses of the shell
    DryRunResult result =
        readDryRun(process_->readAllStandardOutput(), process_->readAllStandardError(), status, file_);
    if (status == kCannotExecute || status == kNotFound) result.problem = Problem{.message = missingProgram(program_)};
    patience_.stop();
    result.tookMs = clock_.elapsed();
    process_->deleteLater();
    process_ = nullptr;
    if (result.problem && result.problem->line > 0) {
        const ExperimentDocument document(text_);
        result.problem->key = document.keyAt(result.problem->line);
        result.problem->message = withoutForeignCase(result.problem->message, result.problem->key, document.varied());
    }
    emit answered(result);
}

}  // namespace dasgd::gui
