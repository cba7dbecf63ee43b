#include "gui/runs/group_button.h"

#include "gui/runs/run_table.h"

namespace dasgd::gui {

GroupButton::GroupButton(RunListModel& list, QWidget* parent) : QToolButton(parent), list_(list) {
    setObjectName(QStringLiteral("choice"));
    setToolTip(
        tr("Put runs together: those of one command, or those with one value of a setting.\n"
           "A group stands for all of its runs when it is chosen; Right and Left open and close it."));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, &GroupButton::fillMenu);
    connect(&list_, &RunListModel::updated, this, [this] {
        if (waiting_) groupBy(QString(*waiting_));
    });
    group(Grouping::bySeries());
}

void GroupButton::group(const Grouping& grouping) {
    waiting_.reset();
    list_.setGrouping(grouping);
    setText(grouping ? tr("by %1 ▾").arg(grouping.name()) : tr("no groups ▾"));
    emit grouped();
}

void GroupButton::groupBy(const QString& name) {
    if (name.isEmpty()) return group({});
    if (name == Grouping::bySeries().name()) return group(Grouping::bySeries());
    const auto known = groupingOf(name);
    // A name of a key that no run has yet may match the end of another key, so only an exact match is taken.
    if (known && known->name() == name) return group(*known);
    waiting_ = name;
}

void GroupButton::fillMenu() {
    clearMenu(*menu());
    add(*menu(), tr("no groups"), {});
    add(*menu(), tr("runs of one command"), Grouping::bySeries());
    menu()->addSeparator();
    for (const char* name : {"experiment", "algorithm", "settings", "backend", "ranks", "status", "tag", "commit"}) {
        add(*menu(), QString::fromLatin1(name), *groupingOf(QString::fromLatin1(name)));
    }
    addKeyMenus(
        *menu()->addMenu(tr("settings of the configuration")), list_.fields().keys(),
        [this](QMenu& section, const QString& title, const QString& key) { add(section, title, *groupingOf(key)); });
    menu()->addSeparator();
    const auto addSwitch = [this](const QString& text, RunListModel::LeftOut kind) {
        QAction* action = menu()->addAction(text);
        action->setCheckable(true);
        action->setChecked(list_.shows(kind));
        connect(action, &QAction::toggled, &list_, [this, kind](bool shown) { list_.show(kind, shown); });
    };
    addSwitch(tr("show archived runs"), RunListModel::LeftOut::Archived);
    addSwitch(tr("show earlier parts of runs that went on"), RunListModel::LeftOut::EarlierParts);
}

void GroupButton::add(QMenu& menu, const QString& title, const Grouping& grouping) {
    QAction* action = menu.addAction(title);
    action->setCheckable(true);
    action->setChecked(grouping.name() == list_.grouping().name());
    connect(action, &QAction::triggered, this, [this, grouping] { group(grouping); });
}

std::optional<Grouping> GroupButton::groupingOf(const QString& name) const {
    const auto answer = list_.fields().find(name);
    if (!answer.field) return std::nullopt;
    return Grouping::byField(*answer.field);
}

}  // namespace dasgd::gui
