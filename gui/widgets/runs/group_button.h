// The button that says how the list of runs is grouped, with a menu of the other ways.
#pragma once

#include <QMenu>
#include <QToolButton>
#include <optional>

#include "gui/models/run_list/run_list_model.h"

namespace dasgd::gui {

class GroupButton : public QToolButton {
    Q_OBJECT

public:
    // Groups the runs of one command.
    explicit GroupButton(RunListModel& list, QWidget* parent = nullptr);
    void group(const Grouping& grouping);

signals:
    void grouped();

private:
    void fillMenu();
    void add(QMenu& menu, const QString& title, const Grouping& grouping);
    [[nodiscard]] std::optional<Grouping> groupingOf(const QString& name) const;

    RunListModel& list_;
};

}  // namespace dasgd::gui
