// Brings the list of runs back as it was left in this workspace, and keeps how it is left: filter, order, grouping.
#pragma once

#include <QLineEdit>
#include <QObject>
#include <QTimer>
#include <filesystem>

#include "gui/models/run_list/run_view.h"
#include "gui/widgets/run_table.h"
#include "gui/widgets/runs/group_button.h"

namespace dasgd::gui {

class RunViewKeeper : public QObject {
    Q_OBJECT

public:
    // Belongs to `table`, which shows `list` and goes before the others. Changes them at once: whoever takes the text
    // of `filter` to the list is connected by then.
    RunViewKeeper(std::filesystem::path workspace, RunListModel& list, QLineEdit& filter, GroupButton& groups,
                  RunTable& table);
    // What was changed last is kept too.
    ~RunViewKeeper() override;

private:
    const std::filesystem::path workspace_;
    RunView view_;
    QTimer saving_;  // a word that is typed is one change
};

}  // namespace dasgd::gui
