// The table of a comparison: sorted by a click on a header, copied with Ctrl+C.
#pragma once

#include <QTableView>

#include "gui/compare/model/compare_table_model.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class CompareNameDelegate;

class CompareTable : public Card {
    Q_OBJECT

public:
    CompareTable(CompareBoard& board, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] QTableView& table() { return *table_; }
    // Copies the table to the clipboard as shown text and as CSV with the numbers in full.
    void copy();

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void opened(const QStringList& runs);  // runs behind a cell

private:
    QLayout* makeHead();
    void fillBaselines();
    void update();
    // Columns share the room; if their texts need more, each has its own width and the table scrolls. Names are cut
    // before the first numbers are out of view.
    void fitColumns();

    CompareBoard& board_;
    CompareTableModel* model_;
    QTableView* table_;
    CompareNameDelegate* names_;
    QToolButton* baseline_;
    Choice* spread_;
    WrappedLabel* foot_;
};

}  // namespace dasgd::gui
