// Restores and stores the view of the list of runs for a workspace: filter, order, grouping.
#pragma once

#include <QLineEdit>
#include <QObject>
#include <QTimer>
#include <filesystem>

#include "gui/runs/group_button.h"
#include "gui/runs/model/run_view.h"
#include "gui/runs/run_table.h"

namespace dasgd::gui {

class RunViewKeeper : public QObject {
    Q_OBJECT

public:
    // Owned by `table`, which shows `list` and is deleted before the others. Restores the view at once, so the text of
    // `filter` must already be connected to the list.
    RunViewKeeper(std::filesystem::path workspace, RunListModel& list, QLineEdit& filter, GroupButton& groups,
                  RunTable& table);
    // Stores a change that is still pending.
    ~RunViewKeeper() override;

private:
    const std::filesystem::path workspace_;
    RunView view_;
    QTimer saving_;  // delays storing, so that a typed word is stored once
};

}  // namespace dasgd::gui
