// The table of runs: rows and selection of a RunListModel, groups that open, and columns that can be chosen, moved and
// resized. The columns are stored in the program's settings file.
#pragma once

#include <QMenu>
#include <QPersistentModelIndex>
#include <QTableView>
#include <QTimer>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/kit/theme/theme.h"
#include "gui/runs/model/run_columns.h"
#include "gui/runs/model/run_list_model.h"
#include "gui/runs/model/run_selection.h"
#include "gui/runs/run_widths.h"

namespace dasgd::gui {

// Empties the menu and deletes its submenus.
void clearMenu(QMenu& menu);
// Adds a submenu to `menu` for each section of `keys`, which are sorted; `add` adds one key, under its title.
void addKeyMenus(QMenu& menu, const std::set<std::string>& keys,
                 const std::function<void(QMenu& menu, const QString& title, const QString& key)>& add);

class RunTable : public QTableView {
    Q_OBJECT

public:
    RunTable(RunListModel& list, const Look& look, QWidget* parent = nullptr);
    ~RunTable() override;

    [[nodiscard]] RunSelection& chosen() { return *selection_; }
    [[nodiscard]] RunColumns columns() const;
    // Sets columns and widths. If room is short, columns without a width set by the user are as wide as their content,
    // the settings first (gui/runs/run_widths.h); none is cut at the edge of the view.
    void setColumns(const RunColumns& columns);
    // Sorts the list by this column; does nothing if there is no such column.
    void setOrder(const RunColumn& column, Qt::SortOrder direction);
    // Fills a menu with every column, checked if shown; keys of configurations are in submenus by section.
    void fillColumnMenu(QMenu& menu);
    // Swaps the column of the current cell with the next shown one to the left (-1) or right (1).
    void moveColumn(int by);

signals:
    void starClicked(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    // Left and Right close and open a group; Left on a run moves to its group.
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    // A click on the arrow of a group opens or closes it.
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void paintGroup(QPainter& painter, int row);
    QAction* addColumn(QMenu& menu, const QString& title, const RunColumn& column, const RunColumns& shown);
    void showHeaderMenu(const QPoint& at);
    void addMoves();
    [[nodiscard]] RunColumn columnAt(int section) const;
    [[nodiscard]] std::vector<int> shownSections() const;
    void fitColumns();
    void measure(int first, int last);
    void measureAnew();
    void remember();
    void keepColumns();

    RunListModel& list_;
    const Look& look_;
    RunSelection* selection_;
    QPersistentModelIndex pressed_;
    QTimer saving_;  // delays storing, so that a drag of a column is stored once
    QStringList unsaved_;
    ColumnContents contents_;
    std::map<int, int> fitted_;  // fitted widths by section, without sections whose width the user set
    bool arranging_ = false;
};

}  // namespace dasgd::gui
