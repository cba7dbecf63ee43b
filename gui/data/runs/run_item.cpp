#include "gui/data/runs/run_item.h"

#include <QDateTime>
#include <algorithm>

#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"
#include "storage/compare/scaling.h"

namespace dasgd::gui {

QString tagsInWords(const storage::RunNotes& notes) {
    QStringList tags;
    for (const std::string& tag : notes.tags) tags << QString::fromStdString(tag);
    return tags.join(QStringLiteral("  "));
}

QString originInWords(const RunItem& run) {
    QStringList words;
    if (run.row.imported()) words << QStringLiteral("imported");
    if (run.row.timeSimulated) {
        words << QStringLiteral("time simulated");
    } else if (!run.row.imported()) {
        words << (overEmulatedLink(run) ? QStringLiteral("measured, link emulated") : QStringLiteral("measured"));
    }
    return words.join(QStringLiteral(", "));
}

RunItemPtr RunItemMaker::make(storage::RunRow row, const storage::RunNotes& notes, bool hasCheckpoint) {
    auto item = std::make_shared<RunItem>();
    item->hasCheckpoint = hasCheckpoint;
    item->id = QString::fromStdString(row.runId);
    const Settings settings = storage::settingsOf(row, reader_);
    item->startedMs =
        QDateTime::fromString(QString::fromStdString(row.startedAt), Qt::ISODateWithMs).toMSecsSinceEpoch();
    item->config = settings_.pack(settings);
    if (row.schema) {
        const auto [known, isNew] = schemas_.try_emplace(row.schema);
        if (isNew) known->second = schemaOf(row);
        item->schema = known->second;
    }
    item->settings = settingsInWords(settings, item->schema);
    item->group = configurationKey(settings);
    item->line = placeOf(settings);
    const auto trace = settings.find("record.trace");
    item->keepsSpans = trace == settings.end() || trace->second == "full";
    item->haystack =
        (QStringList{item->id, QString::fromStdString(row.experiment), QString::fromStdString(row.algorithm),
                     item->settings, QString::fromStdString(row.backend), stateOf(row), stateInWords(row),
                     QStringLiteral("seed ") + QString::number(row.seed), QString::fromStdString(row.gitCommit),
                     tagsInWords(notes), QString::fromStdString(notes.note)}
             .join(QLatin1Char(' ')))
            .toLower();
    item->notes = notes;
    item->row = std::move(row);
    return item;
}

QString seedEndInWords(const RunItem& run) {
    const QString seed = QStringLiteral("seed %1 ").arg(run.row.seed), status = QString::fromStdString(run.row.status);
    if (run.row.status == "queued") return seed + QStringLiteral("waits for its turn");
    QString steps = QStringLiteral("step ") + grouped(run.row.steps);
    if (run.row.plannedSteps > 0) steps += QStringLiteral(" of ") + grouped(run.row.plannedSteps);
    const QString verb = run.row.status == "running"  ? QStringLiteral("is")
                         : run.row.status == "failed" ? status
                                                      : QStringLiteral("was ") + status;
    return QStringLiteral("%1%2 at %3").arg(seed, verb, steps);
}

QString madeAgainInWords(const RunItem& run) {
    return QStringLiteral("seed %1 was run again: the older run, %2, does not count")
        .arg(run.row.seed)
        .arg(QString::fromStdString(run.row.status));
}

// The last step of an epoch may have fewer samples than configured, so the mean is slightly less; if it is much less,
// not every rank trains.
double samplesOfStep(const RunItem& run) {
    constexpr double kLeastPart = 0.9;
    const auto number = [&](const char* key, double otherwise) {
        const std::string* text = run.config.find(key);
        return text ? QString::fromStdString(*text).toDouble() : otherwise;
    };
    const double batch = number("train.batch_size", 0) * number("train.accumulate", 1);
    const double steps = static_cast<double>(run.row.steps) * std::max(1, run.row.workers);
    const double mean = steps > 0 ? static_cast<double>(run.row.samples) / steps : 0;
    return kLeastPart * batch <= mean && mean <= batch ? mean : batch;
}

}  // namespace dasgd::gui
