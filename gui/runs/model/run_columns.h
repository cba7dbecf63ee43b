// The columns of the list of runs, their order and widths, as chosen by the user and stored between sessions.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/data/runs/run_table_model.h"

namespace dasgd::gui {

struct RunColumn {
    int field = -1;  // a column of RunTableModel; -1: the configuration key `key`
    QString key;
    int width = 0;  // in pixels; 0: fitted to the content
    bool operator==(const RunColumn&) const = default;
};

using RunColumns = std::vector<RunColumn>;

// Columns of RunTableModel that fit a window of 1600 pixels.
[[nodiscard]] RunColumns defaultColumns();

// One text per column, "final loss=90" or "config:algorithm.delay".
[[nodiscard]] QStringList columnsToTexts(const RunColumns& columns);
// Unknown and repeated columns are left out; the default if none remains.
[[nodiscard]] RunColumns columnsFromTexts(const QStringList& texts);

// Adds the column at the end, or removes it. The last remaining column is kept.
void toggleColumn(RunColumns& columns, const RunColumn& column);
[[nodiscard]] bool hasColumn(const RunColumns& columns, const RunColumn& column);

}  // namespace dasgd::gui
