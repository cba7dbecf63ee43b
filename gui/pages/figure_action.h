// "Make figure" of a page: what it shows becomes a saved figure on the Figures page.
#pragma once

#include <QToolButton>
#include <functional>
#include <optional>
#include <utility>

#include "gui/pages/page.h"

namespace dasgd::gui {

// `what`: name and figure, or nothing where the page shows nothing. Ctrl+Shift+E presses the button.
[[nodiscard]] inline QToolButton* makeFigureButton(
    PageContext& context, std::function<std::optional<std::pair<QString, FigureSpec>>()> what) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("choice"));
    button->setFocusPolicy(Qt::TabFocus);
    button->setText(QObject::tr("Make figure"));
    button->setToolTip(QObject::tr("A figure for a paper of what is shown here, as it is  Ctrl+Shift+E"));
    button->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+E")));
    QObject::connect(button, &QToolButton::clicked, button, [&context, what = std::move(what)] {
        const auto figure = what();
        if (!figure) return;
        context.figures.add(figure->second, figure->first);
        context.open("Figures");
    });
    return button;
}

}  // namespace dasgd::gui
