// The selection of a RunListModel. It belongs to the runs, not to the rows: it is kept when the list is filtered or
// sorted, and drops runs that the filter hides. UI thread.
#pragma once

#include <QItemSelectionModel>
#include <QSet>
#include <QString>
#include <vector>

#include "gui/runs/model/run_list_model.h"

namespace dasgd::gui {

class RunSelection : public QItemSelectionModel {
    Q_OBJECT

public:
    // Construct after the views have the model, as they clear their selection when it is reset.
    explicit RunSelection(RunListModel& list, QObject* parent = nullptr);

    // Selected row numbers, ascending. Takes time linear in the number of selected rows, where selectedRows() takes
    // quadratic time.
    [[nodiscard]] std::vector<int> rows() const;
    [[nodiscard]] int count() const;

signals:
    // Emitted after a rearrangement with a selection, and whenever the user selects.
    void chosenChanged();

private:
    void keep();
    void restore();

    RunListModel& list_;
    QSet<QString> keptRuns_;
    QString keptCurrent_;
    int keptColumn_ = 0;
};

}  // namespace dasgd::gui
