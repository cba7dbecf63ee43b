// The "Make figure" button of a page, which turns the page's content into a saved figure on the Figures page.
#pragma once

#include <QMenu>
#include <QToolButton>
#include <functional>
#include <optional>
#include <utility>

#include "gui/figures/model/figure_library.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

// `what` gives name and figure, or nullopt where the page shows nothing. Ctrl+Shift+E presses the button.
[[nodiscard]] inline QToolButton* makeFigureButton(
    PageContext& context, std::function<std::optional<std::pair<QString, FigureSpec>>()> what) {
    QToolButton* button = makeQuietButton(
        QObject::tr("Make figure"), QObject::tr("A figure for a paper of what is shown here, as it is  Ctrl+Shift+E"));
    addButtonKey(QStringLiteral("Ctrl+Shift+E"), *button, button);
    QObject::connect(button, &QToolButton::clicked, button, [&context, what = std::move(what)] {
        const auto figure = what();
        if (!figure) return;
        // The page is opened first: made only afterwards it would not know which figure is new.
        context.open("Figures");
        context.figures.add(figure->second, figure->first);
    });
    return button;
}

// The "Export" menu of a page. Its first entry, which Ctrl+E stands for while the button is enabled, calls `write` for
// the figures; there is none without. Further entries are added to its menu. A click only opens the menu.
[[nodiscard]] inline QToolButton* makeExportMenu(QWidget& page, const QString& figures = {},
                                                 std::function<void()> write = {}) {
    const QString help = QObject::tr("Files of what is shown here");
    if (!write) return makeMenuButton(QObject::tr("Export ▾"), help);
    QToolButton* button = makeMenuButton(QObject::tr("Export ▾"), help + QStringLiteral("  Ctrl+E"));
    QAction* entry = button->menu()->addAction(figures + QStringLiteral("\tCtrl+E"), button, std::move(write));
    QObject::connect(new QShortcut(QKeySequence(QStringLiteral("Ctrl+E")), &page), &QShortcut::activated, button,
                     [button, entry] {
                         if (button->isEnabled()) entry->trigger();
                     });
    return button;
}

// The "Export" button of a page, which writes the files of a figure at once by FigureExport. Ctrl+E presses it.
[[nodiscard]] inline QToolButton* makeExportButton(QWidget& page) {
    QToolButton* button =
        makeQuietButton(QObject::tr("Export"), QObject::tr("Write what is shown here, as it is, as PDF, SVG, PNG, CSV, "
                                                           "pgfplots, table, figure.json  Ctrl+E"));
    addButtonKey(QStringLiteral("Ctrl+E"), *button, &page);
    return button;
}

}  // namespace dasgd::gui
