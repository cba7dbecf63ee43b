#include "gui/scaling/model/reports/report.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "gui/kit/words/cli_message.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::array kStates{"running", "finished", "failed", "stopped"};
// Exit statuses of the commands after Ctrl-C, and after the signal itself.
constexpr int kStopped = 130, kTerminated = 143;
constexpr qsizetype kMostMessage = 6;  // lines

void collectRuns(const QJsonValue& value, QStringList& runs) {
    const auto take = [&](const QString& id) {
        if (!id.isEmpty() && !runs.contains(id)) runs << id;
    };
    if (value.isArray()) {
        for (const auto& one : value.toArray()) collectRuns(one, runs);
        return;
    }
    const QJsonObject object = value.toObject();
    for (auto one = object.begin(); one != object.end(); ++one) {
        const bool names = one.key().endsWith(QLatin1String("run_id")) || one.key() == QLatin1String("probe_run") ||
                           one.key() == QLatin1String("replay_of");
        if (names) {
            take(one.value().toString());
        } else if (one.key() == QLatin1String("runs")) {
            for (const auto& id : one.value().toArray()) take(id.toString());
        } else if (one.value().isArray() || one.value().isObject()) {
            collectRuns(one.value(), runs);
        }
    }
}

std::optional<QJsonObject> objectIn(const QByteArray& line) {
    const QJsonDocument parsed = QJsonDocument::fromJson(line);
    return parsed.isObject() ? std::optional(parsed.object()) : std::nullopt;
}

}  // namespace

QString stateInWords(ReportState state) { return QString::fromLatin1(kStates[static_cast<std::size_t>(state)]); }

QString JobProgress::inWords() const {
    if (title.isEmpty()) return QStringLiteral("starting …");
    QStringList parts{title, QStringLiteral("%1 of %2 steps").arg(grouped(completed), grouped(total))};
    if (!remark.isEmpty()) parts << remark;
    return parts.join(QStringLiteral(" · "));
}

QString JobProgress::place() const {
    static const QRegularExpression numbers(QStringLiteral("^\\d{1,9}/\\d{1,9}(?= )"));
    return numbers.match(title).captured();
}

double JobProgress::share() const {
    const double own = total > 0 ? static_cast<double>(completed) / static_cast<double>(total) : 0;
    const QString where = place();
    const double number = where.section(u'/', 0, 0).toDouble(), count = where.section(u'/', 1).toDouble();
    return number >= 1 && number <= count ? (number - 1 + own) / count : own;
}

QStringList Report::runs() const {
    QStringList runs;
    collectRuns(result, runs);
    return runs;
}

QJsonObject jsonOf(const Report& report) {
    return {{"asked", jsonOf(report.asked)},
            {"state", stateInWords(report.state)},
            {"started", report.started.toString(Qt::ISODateWithMs)},
            {"ended", report.ended.toString(Qt::ISODateWithMs)},
            {"program", report.program},
            {"version", report.version},
            {"process", report.process},
            {"error", report.error},
            {"runs", QJsonArray::fromStringList(report.runs())},
            {"result", report.result}};
}

std::optional<Report> reportOf(const QString& name, const QJsonObject& json) {
    const auto asked = jobRequestOf(json[QLatin1String("asked")].toObject());
    const auto text = [&](const char* key) { return json[QLatin1String(key)].toString(); };
    const auto* state = std::ranges::find_if(kStates, [&](const char* one) { return text("state") == one; });
    if (!asked || state == kStates.end()) return std::nullopt;
    return Report{.name = name,
                  .asked = *asked,
                  .state = static_cast<ReportState>(state - kStates.begin()),
                  .started = QDateTime::fromString(text("started"), Qt::ISODateWithMs),
                  .ended = QDateTime::fromString(text("ended"), Qt::ISODateWithMs),
                  .program = text("program"),
                  .version = text("version"),
                  .process = json[QLatin1String("process")].toInteger(),
                  .error = text("error"),
                  .result = json[QLatin1String("result")].toArray()};
}

void conclude(Report& report, const QByteArray& output, const QByteArray& errors, int status) {
    for (const QByteArray& line : output.split('\n')) {
        if (const auto object = objectIn(line)) report.result.append(*object);
    }
    const bool stopped = status == kStopped || status == kTerminated;
    report.state = status == 0 ? ReportState::Finished : stopped ? ReportState::Stopped : ReportState::Failed;
    if (status == 0 && report.result.isEmpty()) {
        report.state = ReportState::Failed;
        report.error = QStringLiteral("dasgd printed no result; is it of another version than this window?");
    }
    if (report.state == ReportState::Failed && report.error.isEmpty()) {
        const QString said = messageIn(errors);
        report.error =
            said.isEmpty() ? QStringLiteral("dasgd ended with exit status %1 and said nothing.").arg(status) : said;
    }
}

std::optional<JobProgress> lastProgress(const QByteArray& errors) {
    const QList<QByteArray> lines = errors.split('\n');
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        const auto object = objectIn(*line);
        if (!object || !object->contains(QLatin1String("progress"))) continue;
        const QJsonObject progress = (*object)[QLatin1String("progress")].toObject();
        return JobProgress{.title = progress[QLatin1String("title")].toString(),
                           .completed = progress[QLatin1String("completed")].toInteger(),
                           .total = progress[QLatin1String("total")].toInteger(),
                           .remark = progress[QLatin1String("remark")].toString()};
    }
    return std::nullopt;
}

QString messageIn(const QByteArray& errors) {
    QStringList lines;
    for (const QByteArray& line : errors.split('\n')) {
        if (line.trimmed().isEmpty() || objectIn(line)) continue;
        lines << withoutProgramName(QString::fromUtf8(line).trimmed());
    }
    return lines.mid(std::max<qsizetype>(0, lines.size() - kMostMessage)).join(u'\n');
}

}  // namespace dasgd::gui
