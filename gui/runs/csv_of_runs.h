// The listed runs as a CSV file.
#pragma once

#include <QHeaderView>
#include <optional>
#include <vector>

#include "gui/figures/export/csv_action.h"
#include "gui/runs/model/run_list_model.h"

namespace dasgd::gui {

// CSV of the listed runs, including those of closed groups, with the visible columns in their order.
[[nodiscard]] inline std::optional<CsvTask> csvOfRuns(const RunListModel& list, const QHeaderView& header) {
    std::vector<RunItemPtr> runs;
    for (int row = 0; row < list.rowCount(); ++row) {
        const ListRow& one = list.rowAt(row);
        if (!one.isGroup()) {
            runs.push_back(one.run);
        } else if (!one.group->open) {
            runs.insert(runs.end(), one.group->runs.begin(), one.group->runs.end());
        }
    }
    if (runs.empty()) return std::nullopt;
    std::vector<CsvColumn> columns;
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place), key = column - RunTableModel::kColumns;
        if (header.isSectionHidden(column)) continue;
        columns.push_back({column, key < 0 ? std::string() : list.keyColumns().value(key).toStdString()});
    }
    return CsvTask{QStringLiteral("runs"), [runs, columns] { return runsTableCsv(runs, columns); }};
}

}  // namespace dasgd::gui
