#include "gui/runs/model/run_origin.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

namespace {

QString versionsInWords(const std::string& json) {
    QStringList words;
    const QJsonObject versions = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    for (auto one = versions.begin(); one != versions.end(); ++one) {
        words << one.key() + QLatin1Char(' ') + one.value().toVariant().toString();
    }
    return words.join(QStringLiteral(", "));
}

QString localTime(const std::string& iso) {
    return QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs)
        .toLocalTime()
        .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

}  // namespace

std::vector<std::pair<QString, QString>> originOf(const storage::RunDetail& run) {
    std::vector<std::pair<QString, QString>> origin;
    const auto add = [&origin](const char* name, const QString& value) {
        if (!value.isEmpty()) origin.emplace_back(QString::fromLatin1(name), value);
    };
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    add(run.row.status == "queued" || run.row.takenOut() ? "queued" : "started", localTime(run.row.startedAt));
    add("waits for", text(run.waitsFor));
    add("ended", localTime(run.row.endedAt));
    if (!run.row.resumedFrom.empty()) {
        add("resumed from", QStringLiteral("%1, step %2").arg(text(run.row.resumedFrom)).arg(run.row.resumedStep));
    }
    const QString commit = text(run.row.gitCommit).left(12);
    add("commit", commit + (run.gitDirty ? QStringLiteral(", with uncommitted changes") : QString()));
    add("host", text(run.host));
    add("processor", text(run.cpu));
    add("host GPUs", text(storage::hardwareText(run.hardware, storage::kGpu)));
    add("host NICs", text(storage::hardwareText(run.hardware, storage::kNic)));
    add("backend", text(run.row.backend));
    if (!run.link.empty()) add("link", text(run.link) + (run.linkEmulated ? QStringLiteral(" (emulated)") : QString()));
    add("libraries", versionsInWords(run.versions));
    return origin;
}

}  // namespace dasgd::gui
