// Keys that click a button at once.
#pragma once

#include <QAbstractButton>
#include <QShortcut>

namespace dasgd::gui {

// While `page` is visible. A button's own shortcut would press it for 100 ms before it acts.
inline void addButtonKey(const QString& keys, QAbstractButton& button, QWidget* page) {
    QObject::connect(new QShortcut(QKeySequence(keys), page), &QShortcut::activated, &button, &QAbstractButton::click);
}

}  // namespace dasgd::gui
