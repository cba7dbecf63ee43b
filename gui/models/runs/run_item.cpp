#include "gui/models/runs/run_item.h"

#include "gui/models/runs/run_config.h"

namespace dasgd::gui {

RunItemPtr makeRunItem(storage::RunRow row) {
    auto item = std::make_shared<RunItem>();
    item->id = QString::fromStdString(row.runId);
    const FlatConfig config = flattenToml(row.config);
    item->settings = settingsInWords(config);
    item->group = groupKey(row);
    item->line = storage::placeOf(config);
    const auto trace = config.find("record.trace");
    item->keepsSpans = trace == config.end() || trace->second == "full";
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
