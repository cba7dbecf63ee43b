#include "gui/scaling/model/reports/job_request.h"

#include <QJsonArray>
#include <array>

namespace dasgd::gui {

namespace {

struct Kind {
    const char *command, *words;
};
constexpr std::array kKinds{Kind{"calibrate", "Calibration"}, Kind{"advise", "Advice"}, Kind{"scale", "Scaling"},
                            Kind{"replay", "Replay"}};

const Kind& of(JobKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

QString commandOf(JobKind kind) { return QString::fromLatin1(of(kind).command); }
QString kindInWords(JobKind kind) { return QString::fromLatin1(of(kind).words); }

QString optionsInWords(const JobRequest& request) {
    QStringList parts;
    if (request.kind == JobKind::Scale) {
        parts << QStringLiteral("%1 %2, %3")
                     .arg(request.workers,
                          request.workers.trimmed() == QLatin1String("1") ? QStringLiteral("worker")
                                                                          : QStringLiteral("workers"),
                          request.strong ? QStringLiteral("strong") : QStringLiteral("weak"));
    }
    if (!request.target.isEmpty()) parts << QStringLiteral("target ") + request.target;
    if (!request.calibration.isEmpty()) {
        parts << QStringLiteral("on the cluster of ") + request.calibration.section(u'/', -1);
    }
    return (parts + request.set).join(QStringLiteral(" · "));
}

QString problemOf(const JobRequest& request) {
    if (request.kind == JobKind::Replay) {
        return request.run.isEmpty() ? QStringLiteral("Choose the run that is to be replayed.") : QString();
    }
    if (request.text.trimmed().isEmpty()) {
        return QStringLiteral("There is no experiment yet: choose a preset, or open a file.");
    }
    if (request.kind == JobKind::Scale && request.workers.trimmed().isEmpty()) {
        return QStringLiteral("Say at which numbers of workers: 1,2,4 or 1..8 or 1,2,...,64.");
    }
    return {};
}

QStringList argumentsOf(const JobRequest& request, const QString& file, const QString& calibrationOut) {
    QStringList arguments{commandOf(request.kind), request.kind == JobKind::Replay ? request.run : file,
                          QStringLiteral("--markdown"), QStringLiteral("--progress")};
    const auto add = [&](const char* option, const QString& value) {
        if (!value.trimmed().isEmpty()) arguments << QString::fromLatin1(option) << value.trimmed();
    };
    const bool scales = request.kind == JobKind::Scale;
    if (request.kind == JobKind::Calibrate) add("--out", calibrationOut);
    if (request.kind != JobKind::Calibrate) add("--calibration", request.calibration);
    if (scales) add("--workers", request.workers);
    if (scales && request.strong) arguments << QStringLiteral("--strong");
    if (scales || request.kind == JobKind::Advise) add("--target", request.target);
    for (const QString& one : request.set) add("--set", one);
    return arguments;
}

QStringList settingsIn(const QString& line) {
    QStringList settings;
    QString own;
    QChar quote;
    int depth = 0;
    for (const QChar c : line) {
        if (!quote.isNull()) {
            if (c == quote) quote = {};
        } else if (c == u'"' || c == u'\'') {
            quote = c;
        } else if (c == u'[' || c == u'{') {
            ++depth;
        } else if (c == u']' || c == u'}') {
            --depth;
        } else if (c.isSpace() && depth <= 0) {
            if (!own.isEmpty()) settings << own;
            own.clear();
            continue;
        }
        own += c;
    }
    if (!own.isEmpty()) settings << own;
    return settings;
}

QJsonObject jsonOf(const JobRequest& request) {
    return {{"command", commandOf(request.kind)},
            {"title", request.title},
            {"experiment", request.text},
            {"run", request.run},
            {"workers", request.workers},
            {"strong", request.strong},
            {"target", request.target},
            {"calibration", request.calibration},
            {"set", QJsonArray::fromStringList(request.set)}};
}

std::optional<JobRequest> jobRequestOf(const QJsonObject& json) {
    const auto text = [&](const char* key) { return json[QLatin1String(key)].toString(); };
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (text("command") != QLatin1String(kKinds[i].command)) continue;
        JobRequest request{.kind = static_cast<JobKind>(i),
                           .title = text("title"),
                           .text = text("experiment"),
                           .run = text("run"),
                           .workers = text("workers"),
                           .strong = json[QLatin1String("strong")].toBool(),
                           .target = text("target"),
                           .calibration = text("calibration")};
        for (const auto& one : json[QLatin1String("set")].toArray()) request.set << one.toString();
        return request;
    }
    return std::nullopt;
}

}  // namespace dasgd::gui
