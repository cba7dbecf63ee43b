// Widths of the columns of the table of runs, from the needs of titles and cells and the available room.
#pragma once

#include <map>
#include <vector>

#include "gui/runs/model/run_columns.h"
#include "gui/runs/model/run_list_model.h"

namespace dasgd::gui {

inline constexpr int kStarColumnWidth = 34;

// Width of a column's title with the arrow of a sorted column, in pixels.
[[nodiscard]] int titleWidth(const RunColumn& column);
// Width of a column for its title and for the usual content of its cells, in pixels.
[[nodiscard]] int usualWidth(const RunColumn& column);

struct ColumnNeed {
    int usual = 0;
    int content = 0;         // width at which no cell is cut
    bool takesRest = false;  // true for the column whose content takes precedence over the usual widths of others
};

// Widths in the order of `columns`, which is that of the view. Columns get their usual widths if these fit into `room`
// beside the content of the one that takes the rest. Otherwise they shrink to their content; if that does not fit
// either, the one that takes the rest also gets the room of a column that would be cut at the edge of the view.
[[nodiscard]] std::vector<int> fittedWidths(const std::vector<ColumnNeed>& columns, int room);

// Width of the widest cell of each column. Widths grow with new cells and never shrink, so that columns do not jump
// while runs go on.
class ColumnContents {
public:
    // Measures rows `first` to `last`; true if a column among `sections` became wider. Only the first 400 rows of a
    // list are measured.
    [[nodiscard]] bool measure(const RunListModel& list, const std::vector<int>& sections, int first, int last);
    // Needs of a column. The content is at most the usual width, except for settings; it is the usual width if not all
    // rows were measured.
    [[nodiscard]] ColumnNeed needOf(const RunColumn& column, int section) const;

private:
    std::map<int, int> widest_;  // by section
    bool whole_ = true;
};

}  // namespace dasgd::gui
