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
    // By the name of a grouping. One by a setting that no run has yet comes with the first that has it, unless another
    // one is chosen until then.
    void groupBy(const QString& name);
    // Of the grouping, or of the one that is waited for.
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
