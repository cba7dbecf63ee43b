// Forecast table of a sweep, a row for each case: its settings, hidden share, time per step and, where the names leave
// room, time of its runs. Choosing a row asks for its forecast. The table is as high as its rows, and hidden if it has
// none.
#pragma once

#include <QTableWidget>
#include <vector>

#include "gui/experiment/model/sweep/sweep_lines.h"

namespace dasgd::gui {

class SweepTable : public QTableWidget {
    Q_OBJECT

public:
    SweepTable();
    // Replaces the lines; the chosen row stays chosen if its index still exists.
    void showLines(const std::vector<SweepLine>& lines);

signals:
    void caseWanted(int index);

protected:
    // The area around the table scrolls, not the table.
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    // Makes each row as high as the name of its case, which takes several lines in a narrow column.
    void fitRows();

    std::vector<SweepLine> lines_;
};

}  // namespace dasgd::gui
