// "Make figure" of a page: what it shows becomes a saved figure on the Figures page.
#pragma once

#include <QToolButton>
#include <functional>
#include <optional>
#include <utility>

#include "gui/pages/page.h"
#include "gui/widgets/button_key.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

// `what`: name and figure, or nothing where the page shows nothing. Ctrl+Shift+E presses the button.
[[nodiscard]] inline QToolButton* makeFigureButton(
    PageContext& context, std::function<std::optional<std::pair<QString, FigureSpec>>()> what) {
    QToolButton* button = makeQuietButton(
        QObject::tr("Make figure"), QObject::tr("A figure for a paper of what is shown here, as it is  Ctrl+Shift+E"));
    addButtonKey(QStringLiteral("Ctrl+Shift+E"), *button, button);
    QObject::connect(button, &QToolButton::clicked, button, [&context, what = std::move(what)] {
        const auto figure = what();
        if (!figure) return;
        context.figures.add(figure->second, figure->first);
        context.open("Figures");
    });
    return button;
}

}  // namespace dasgd::gui
