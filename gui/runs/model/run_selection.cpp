#include "gui/runs/model/run_selection.h"

#include <algorithm>

namespace dasgd::gui {

RunSelection::RunSelection(RunListModel& list, QObject* parent) : QItemSelectionModel(&list, parent), list_(list) {
    connect(&list_, &RunListModel::aboutToRearrange, this, &RunSelection::keep);
    connect(&list_, &RunListModel::rearranged, this, &RunSelection::restore);
    connect(this, &QItemSelectionModel::selectionChanged, this, &RunSelection::chosenChanged);
}

std::vector<int> RunSelection::rows() const {
    std::vector<int> rows;
    for (const QItemSelectionRange& range : selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

int RunSelection::count() const { return static_cast<int>(rows().size()); }

void RunSelection::keep() {
    keptRuns_.clear();
    for (const int row : rows()) keptRuns_.insert(list_.rowAt(row).id());
    keptCurrent_ = currentIndex().isValid() ? list_.rowAt(currentIndex().row()).id() : QString();
    keptColumn_ = currentIndex().column();
}

void RunSelection::restore() {
    QItemSelection kept;
    QModelIndex current;
    const int rows = list_.rowCount(), lastColumn = list_.columnCount() - 1;
    int first = -1;  // first row of the range being collected
    for (int row = 0; row <= rows; ++row) {
        const bool isKept = row < rows && keptRuns_.contains(list_.rowAt(row).id());
        if (row < rows && list_.rowAt(row).id() == keptCurrent_)
            current = list_.index(row, std::min(keptColumn_, lastColumn));
        if (isKept && first < 0) first = row;
        if (isKept || first < 0) continue;
        kept.append(QItemSelectionRange(list_.index(first, 0), list_.index(row - 1, lastColumn)));
        first = -1;
    }
    {
        // chosenChanged() is emitted once, below, instead of for each step.
        const QSignalBlocker quiet(this);
        if (current.isValid()) setCurrentIndex(current, QItemSelectionModel::NoUpdate);
        if (!kept.isEmpty()) select(kept, QItemSelectionModel::ClearAndSelect);
    }
    emit chosenChanged();
}

}  // namespace dasgd::gui
