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
        // First, as a page that was never open would not know which figure is the new one.
        context.open("Figures");
        context.figures.add(figure->second, figure->first);
    });
    return button;
}

// Of a page whose figures are written at once; what it shows goes to FigureExport. Ctrl+E presses it.
[[nodiscard]] inline QToolButton* makeExportButton(QWidget& page) {
    QToolButton* button =
        makeQuietButton(QObject::tr("Export"), QObject::tr("Write what is shown here, as it is, as PDF, SVG, PNG, CSV, "
                                                           "pgfplots, table, figure.json  Ctrl+E"));
    addButtonKey(QStringLiteral("Ctrl+E"), *button, &page);
    return button;
}

}  // namespace dasgd::gui
