#include "gui/scaling/model/reports/report.h"

#include <QJsonArray>
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
const QString kOlder = QStringLiteral(
    "An earlier version of this window wrote this report, as numbers that only it shows; they stay in its file. "
    "*Again* "
    "makes it anew.");

// An id as the launcher makes it: instant, algorithm, random digits.
const QRegularExpression& runId() {
    static const QRegularExpression id(QStringLiteral("\\b(\\d{8}-\\d{6}-\\w+-[0-9a-f]{4})\\b"));
    return id;
}

const QString kFence = QStringLiteral("```");

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

QString headingOf(const Report& report) {
    return (report.asked.kind == JobKind::Advise ? QStringLiteral("%1 for %2") : QStringLiteral("%1 of %2"))
        .arg(kindInWords(report.asked.kind), report.asked.title);
}

QString advisedSetting(const QString& markdown) {
    static const QRegularExpression block(QStringLiteral("```toml\n\\[algorithm\\]\n(.*?)\n```"),
                                          QRegularExpression::DotMatchesEverythingOption);
    const QString fields = block.match(markdown).captured(1);
    return fields.isEmpty() ? QString() : QStringLiteral("{ %1 }").arg(fields.split(u'\n').join(QStringLiteral(", ")));
}

QString withRunLinks(const QString& markdown) {
    QStringList parts = markdown.split(kFence);
    // Every other part is code, in which a link would be text.
    for (qsizetype i = 0; i < parts.size(); i += 2) parts[i].replace(runId(), QStringLiteral("[\\1](\\1)"));
    return parts.join(kFence);
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
            {"runs", QJsonArray::fromStringList(report.runs)},
            {"markdown", report.markdown}};
}

std::optional<Report> reportOf(const QString& name, const QJsonObject& json) {
    const auto asked = jobRequestOf(json[QLatin1String("asked")].toObject());
    const auto text = [&](const char* key) { return json[QLatin1String(key)].toString(); };
    const auto* state = std::ranges::find_if(kStates, [&](const char* one) { return text("state") == one; });
    if (!asked || state == kStates.end()) return std::nullopt;
    const bool isOlder = json.contains(QLatin1String("result"));
    return Report{.name = name,
                  .asked = *asked,
                  .state = static_cast<ReportState>(state - kStates.begin()),
                  .started = QDateTime::fromString(text("started"), Qt::ISODateWithMs),
                  .ended = QDateTime::fromString(text("ended"), Qt::ISODateWithMs),
                  .program = text("program"),
                  .version = text("version"),
                  .process = json[QLatin1String("process")].toInteger(),
                  .error = text("error"),
                  .markdown = isOlder ? kOlder : text("markdown"),
                  .runs = json[QLatin1String("runs")].toVariant().toStringList()};
}

void conclude(Report& report, const QByteArray& output, const QByteArray& errors, int status) {
    report.markdown = QString::fromUtf8(output);
    for (auto found = runId().globalMatch(report.markdown); found.hasNext();) {
        if (const QString id = found.next().captured(); !report.runs.contains(id)) report.runs << id;
    }
    const bool stopped = status == kStopped || status == kTerminated;
    report.state = status == 0 ? ReportState::Finished : stopped ? ReportState::Stopped : ReportState::Failed;
    if (status == 0 && report.markdown.trimmed().isEmpty()) {
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
