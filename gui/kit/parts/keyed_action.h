// Actions that have keys and no button.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QWidget>
#include <utility>

namespace dasgd::gui {

// Adds an action, run by its keys while `widget` is visible (with Qt::WidgetShortcut: while it has the focus) and by
// `title` in the command palette, with `help` below it. `what` is destroyed with `widget`.
template <class What>
QAction* addKeyedAction(QWidget& widget, const QString& title, const QString& help, const QKeySequence& keys,
                        What&& what, Qt::ShortcutContext context = Qt::WindowShortcut) {
    auto* action = new QAction(title, &widget);
    action->setToolTip(help);
    action->setShortcut(keys);
    action->setShortcutContext(context);
    QObject::connect(action, &QAction::triggered, &widget, std::forward<What>(what));
    widget.addAction(action);
    return action;
}

}  // namespace dasgd::gui
