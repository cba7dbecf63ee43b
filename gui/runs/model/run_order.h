// The order of a list of runs: by a column, or by a key of the configuration.
#pragma once

#include <Qt>
#include <string>
#include <vector>

#include "gui/data/runs/run_table_model.h"

namespace dasgd::gui {

// Numbers come before texts, absent values and NaN last, in both directions. Among equal runs the one that started last
// comes first.
struct RunOrder {
    int column = RunTableModel::Started;
    std::string key;  // replaces the column if not empty
    Qt::SortOrder direction = Qt::DescendingOrder;

    void sort(std::vector<RunItemPtr>& runs) const;
};

}  // namespace dasgd::gui
