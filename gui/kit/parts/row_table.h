// Set-up of the read-only tables of the window, whose rows are chosen as a whole.
#pragma once

#include <QHeaderView>
#include <QTableView>

namespace dasgd::gui {

// Rows of one height in pixels, without grid, numbers and wrapped words. Tab leaves the table; `name` is read aloud.
inline void setUpRows(QTableView& table, const QString& name, int rowHeight) {
    table.setAccessibleName(name);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.horizontalHeader()->setHighlightSections(false);
    QHeaderView& rows = *table.verticalHeader();
    rows.hide();
    rows.setMinimumSectionSize(rowHeight);
    rows.setSectionResizeMode(QHeaderView::Fixed);
    rows.setDefaultSectionSize(rowHeight);
}

}  // namespace dasgd::gui
