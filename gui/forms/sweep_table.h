// The rounds that a sweep makes as a table: what varies, hidden, time of a step and, where the names leave the room,
// time of its runs. A row that is chosen is the one whose forecast is wanted. As high as its rows; hides where there
// are none.
#pragma once

#include <QTableWidget>
#include <vector>

#include "gui/models/sweep/sweep_lines.h"

namespace dasgd::gui {

class SweepTable : public QTableWidget {
    Q_OBJECT

public:
    SweepTable();
    // The row that is chosen stays where there is one of the same place.
    void showLines(const std::vector<SweepLine>& lines);

signals:
    void caseWanted(int index);

protected:
    // What it stands in scrolls, not the table.
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    // Each row as high as the words of its case, in several lines where the column is narrow.
    void fitRows();

    std::vector<SweepLine> lines_;
};

}  // namespace dasgd::gui
