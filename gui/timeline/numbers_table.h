// A table of numbers beside a timeline: read only, rows selected as a whole, colours of kinds before their names.
#pragma once

#include <QHeaderView>
#include <QTableWidget>

namespace dasgd::gui {

[[nodiscard]] inline QTableWidget* makeNumbersTable(const QStringList& columns, const QString& name) {
    auto* table = new QTableWidget(0, static_cast<int>(columns.size()));
    table->setHorizontalHeaderLabels(columns);
    table->setAccessibleName(name);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setIconSize(QSize(10, 10));
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(22);
    return table;
}

}  // namespace dasgd::gui
