// The table of the Scaling view, with a row for each point.
#pragma once

#include <algorithm>

#include "gui/kit/parts/row_table.h"
#include "gui/scaling/model/scaling_table_model.h"

namespace dasgd::gui {

[[nodiscard]] inline QTableView* makePointsTable(ScalingTableModel& model) {
    constexpr int kRowHeight = 32;
    auto* table = new QTableView;
    setUpRows(*table, QObject::tr("Points"), kRowHeight);
    table->setModel(&model);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setMinimumHeight(180);
    return table;
}

[[nodiscard]] inline bool saysOneThing(const QAbstractItemModel& model, int column) {
    for (int row = 1; row < model.rowCount(); ++row) {
        if (model.index(row, column).data() != model.index(0, column).data()) return false;
    }
    return true;
}

// Hides the batch column if `tight` and all rows have the same batch, as in weak scaling; the rows' tool tips name it.
inline void chooseColumns(QTableView& table, bool tight) {
    table.setColumnHidden(ScalingTableModel::Batch, tight && saysOneThing(*table.model(), ScalingTableModel::Batch));
}

[[nodiscard]] inline int shownColumns(const QTableView& table) {
    return table.horizontalHeader()->count() - table.horizontalHeader()->hiddenSectionCount();
}

// Sets column widths. With `room` 0 (enough room) they hardly depend on the content. Otherwise `room` is the width in
// pixels: no column is wider than its content, and the configuration's name gets the rest.
inline void sizeColumns(QTableView& table, int room) {
    static constexpr int kWidths[ScalingTableModel::kColumns] = {0, 76, 62, 62, 104, 112, 98, 104, 96, 150};
    constexpr int kLeastName = 100, kUsualName = 140, kMostName = 360;
    int others = 0;
    for (int i = 1; i < table.model()->columnCount(); ++i) {
        // A hidden column has width 0 and would keep it when shown.
        if (table.isColumnHidden(i)) continue;
        table.resizeColumnToContents(i);
        const int content = table.columnWidth(i);
        table.setColumnWidth(
            i, room > 0 ? std::min(content, kWidths[i]) : std::clamp(content, kWidths[i], kWidths[i] * 5 / 4));
        others += table.columnWidth(i);
    }
    table.resizeColumnToContents(0);
    const int needed = table.columnWidth(0);
    table.setColumnWidth(0, room > 0 ? std::clamp(room - others, kLeastName, std::max(kLeastName, needed))
                                     : std::clamp(needed, kUsualName, kMostName));
}

}  // namespace dasgd::gui
