// Replacement of a form's rows while the user types: rows that stay keep their focus.
#pragma once

#include <QBoxLayout>
#include <QWidget>
#include <algorithm>
#include <utility>
#include <vector>

namespace dasgd::gui {

// Puts `rows` into `column`, in order from its top, and deletes rows of `shown` that are not among them. `shown` equals
// `rows` afterwards.
template <class Row>
void placeRows(QBoxLayout& column, std::vector<Row*>& shown, std::vector<Row*> rows) {
    for (Row* row : shown) {
        if (std::ranges::find(rows, row) != rows.end()) continue;
        row->hide();
        row->deleteLater();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const int place = static_cast<int>(i);
        if (column.indexOf(rows[i]) != place) column.insertWidget(place, rows[i]);
    }
    shown = std::move(rows);
}

}  // namespace dasgd::gui
