// Sorting of a table by keyboard, since its header takes no focus.
#pragma once

#include <QHeaderView>
#include <QTableView>

#include "gui/kit/parts/keyed_action.h"

namespace dasgd::gui {

// Adds Ctrl+Shift+S, which sorts a table with the focus by the column of its current cell; a second time, in reverse.
inline void addSortKey(QTableView& table) {
    addKeyedAction(
        table, QTableView::tr("Sort by this column"), QTableView::tr("That of the cell that has the keyboard"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
        [&table] {
            if (!table.currentIndex().isValid()) return;
            const int column = table.currentIndex().column();
            const QHeaderView& header = *table.horizontalHeader();
            const bool descends =
                header.sortIndicatorSection() == column && header.sortIndicatorOrder() == Qt::AscendingOrder;
            table.sortByColumn(column, descends ? Qt::DescendingOrder : Qt::AscendingOrder);
        },
        Qt::WidgetShortcut);
}

}  // namespace dasgd::gui
