// Which columns the list of runs has, in which order and how wide: what somebody chose, as it is kept between sessions.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/models/runs/run_table_model.h"

namespace dasgd::gui {

struct RunColumn {
    int field = -1;  // a column of RunTableModel; -1: the key of the configuration
    QString key;
    int width = 0;  // in pixels; 0: as wide as it needs
    bool operator==(const RunColumn&) const = default;
};

using RunColumns = std::vector<RunColumn>;

// Those of RunTableModel that fit a window of 1600 pixels.
[[nodiscard]] RunColumns defaultColumns();

// One text a column, as "final loss=90" or "config:algorithm.delay".
[[nodiscard]] QStringList columnsToTexts(const RunColumns& columns);
// What is unknown or there twice is left out; where nothing remains, the default.
[[nodiscard]] RunColumns columnsFromTexts(const QStringList& texts);

// Adds the column at the end, or takes it away. The last one stays.
void toggleColumn(RunColumns& columns, const RunColumn& column);
[[nodiscard]] bool hasColumn(const RunColumns& columns, const RunColumn& column);

}  // namespace dasgd::gui
