// The selection of a RunListModel. Goes with the runs, not with the rows: it lasts while the list is filtered and
// sorted, and drops what the filter hides. UI thread.
#pragma once

#include <QItemSelectionModel>
#include <QSet>
#include <QString>
#include <vector>

#include "gui/models/run_list/run_list_model.h"

namespace dasgd::gui {

class RunSelection : public QItemSelectionModel {
    Q_OBJECT

public:
    // After the views have the model: they forget their selection when it is reset.
    explicit RunSelection(RunListModel& list, QObject* parent = nullptr);

    // Numbers of the selected rows, ascending. Costs the rows that are selected, where selectedRows() costs their
    // square.
    [[nodiscard]] std::vector<int> rows() const;
    [[nodiscard]] int count() const;

signals:
    // After a rearrangement with a selection, and whenever the user selects.
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
