#include "gui/models/runs/run_item.h"

#include <QDateTime>

#include "gui/models/runs/run_config.h"
#include "storage/scaling.h"

namespace dasgd::gui {

RunItemPtr RunItemMaker::make(storage::RunRow row) {
    auto item = std::make_shared<RunItem>();
    item->id = QString::fromStdString(row.runId);
    const Settings settings = storage::settingsOf(row);
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
                     item->settings, QString::fromStdString(row.backend), QString::fromStdString(row.status),
                     QStringLiteral("seed ") + QString::number(row.seed), QString::fromStdString(row.gitCommit)}
             .join(QLatin1Char(' ')))
            .toLower();
    item->row = std::move(row);
    return item;
}

}  // namespace dasgd::gui
