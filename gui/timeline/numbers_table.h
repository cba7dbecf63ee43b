// A table of numbers beside a timeline: read only, rows selected as a whole, colours of kinds before their names.
#pragma once

#include <QTableWidget>

#include "gui/kit/parts/row_table.h"

namespace dasgd::gui {

inline constexpr int kNumbersRow = 22;  // height of a row

[[nodiscard]] inline QTableWidget* makeNumbersTable(const QStringList& columns, const QString& name) {
    auto* table = new QTableWidget(0, static_cast<int>(columns.size()));
    setUpRows(*table, name, kNumbersRow);
    table->setHorizontalHeaderLabels(columns);
    for (int column = 0; column < table->columnCount(); ++column)
        table->horizontalHeaderItem(column)->setTextAlignment(column > 0 ? Qt::AlignRight : Qt::AlignLeft);
    table->setIconSize(QSize(10, 10));
    table->setFrameShape(QFrame::NoFrame);
    return table;
}

// Sets a cell: names left, numbers right. A cell with this text is not touched, so that it is not drawn again.
inline QTableWidgetItem* putText(QTableWidget& table, int row, int column, const QString& text) {
    if (QTableWidgetItem* item = table.item(row, column)) {
        if (item->text() != text) item->setText(text);
        return item;
    }
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (column > 0 ? Qt::AlignRight : Qt::AlignLeft));
    table.setItem(row, column, item);
    return item;
}

}  // namespace dasgd::gui
