// Shortcuts that click a button at once.
#pragma once

#include <QAbstractButton>
#include <QShortcut>

namespace dasgd::gui {

// Adds a shortcut that clicks `button` while `page` is visible. A button's own shortcut would act only after 100 ms.
inline void addButtonKey(const QString& keys, QAbstractButton& button, QWidget* page) {
    QObject::connect(new QShortcut(QKeySequence(keys), page), &QShortcut::activated, &button, &QAbstractButton::click);
}

}  // namespace dasgd::gui
