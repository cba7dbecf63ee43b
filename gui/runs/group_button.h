// Button that shows the grouping of the list of runs, with a menu of groupings.
#pragma once

#include <QMenu>
#include <QToolButton>
#include <optional>

#include "gui/runs/model/run_list_model.h"

namespace dasgd::gui {

class GroupButton : public QToolButton {
    Q_OBJECT

public:
    // Groups by command at first.
    explicit GroupButton(RunListModel& list, QWidget* parent = nullptr);
    void group(const Grouping& grouping);
    // Groups by the grouping of that name. If it is a setting that no run has yet, the grouping takes effect with the
    // first run that has it, unless another one is chosen before.
    void groupBy(const QString& name);
    // Name of the grouping, or of the one that takes effect later.
    [[nodiscard]] QString grouping() const { return waiting_.value_or(list_.grouping().name()); }

signals:
    void grouped();

private:
    void fillMenu();
    void add(QMenu& menu, const QString& title, const Grouping& grouping);
    [[nodiscard]] std::optional<Grouping> groupingOf(const QString& name) const;

    RunListModel& list_;
    std::optional<QString> waiting_;
};

}  // namespace dasgd::gui
