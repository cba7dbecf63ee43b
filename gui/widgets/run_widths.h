// How wide the columns of the table of runs are: what their titles and cells need, and the room that there is.
#pragma once

#include <map>
#include <vector>

#include "gui/models/run_list/run_columns.h"
#include "gui/models/run_list/run_list_model.h"

namespace dasgd::gui {

inline constexpr int kStarColumnWidth = 34;

// Of its title, with the arrow that it has where the list is sorted by it.
[[nodiscard]] int titleWidth(const RunColumn& column);
// Of the title and of what the cells usually hold.
[[nodiscard]] int usualWidth(const RunColumn& column);

struct ColumnNeed {
    int usual = 0;
    int content = 0;         // with which no cell is cut
    bool takesRest = false;  // its content comes before what is usual of the others
};

// Widths in the order of `columns`, which is that of the view. All have what is usual where they fit into `room`
// beside the content of the one that takes the rest; else their content where it is less, and that one what a column
// has that would be cut at the edge.
[[nodiscard]] std::vector<int> fittedWidths(const std::vector<ColumnNeed>& columns, int room);

// What the widest cell of each column needs. A width grows with what arrives, and never shrinks: columns do not jump
// while runs go on.
class ColumnContents {
public:
    // Whether a column among `sections` needs more than before for these rows. Of a long list only the first rows are
    // looked at.
    [[nodiscard]] bool measure(const RunListModel& list, const std::vector<int>& sections, int first, int last);
    // At most what is usual, except of settings; what is usual of a column that was not looked at as a whole.
    [[nodiscard]] ColumnNeed needOf(const RunColumn& column, int section) const;

private:
    std::map<int, int> widest_;  // by section
    bool whole_ = true;
};

}  // namespace dasgd::gui
