#include "gui/kit/parts/card_keys.h"

#include <QScrollArea>
#include <QShortcut>
#include <algorithm>

#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

// The card that contains the widget; null if it stands on the page itself.
const Card* cardAround(const QWidget& widget) {
    for (const QWidget* above = widget.parentWidget(); above; above = above->parentWidget()) {
        if (const auto* card = dynamic_cast<const Card*>(above)) return card;
    }
    return nullptr;
}

QWidget* firstStopOf(const Card& card) {
    const auto takes = [&card](const QWidget* one) {
        return one->isVisible() && one->isEnabled() && (one->focusPolicy() & Qt::TabFocus) != 0 && !one->focusProxy() &&
               card.isAncestorOf(one);
    };
    if ((card.focusPolicy() & Qt::TabFocus) != 0) return const_cast<Card*>(&card);
    // The focus chain is a ring in the order of Tab.
    for (QWidget* one = card.nextInFocusChain(); one != &card; one = one->nextInFocusChain()) {
        if (takes(one)) return one;
    }
    return nullptr;
}

void moveFocusToCard(QWidget& page, int by) {
    const std::vector<QWidget*> stops = cardStops(page);
    if (stops.empty()) return;
    const QWidget* focused = page.window()->focusWidget();
    const auto around = [](const QWidget* one) {
        const auto* card = dynamic_cast<const Card*>(one);
        return card ? card : cardAround(*one);
    };
    const Card* here = focused ? around(focused) : nullptr;
    const auto found = std::find_if(stops.begin(), stops.end(), [&](QWidget* stop) { return around(stop) == here; });
    const auto n = static_cast<int>(stops.size());
    const int at = found == stops.end() ? (by > 0 ? -1 : n) : static_cast<int>(found - stops.begin());
    QWidget* next = stops[static_cast<std::size_t>((at + by + n) % n)];
    next->setFocus(Qt::ShortcutFocusReason);
    for (QWidget* above = next->parentWidget(); above; above = above->parentWidget()) {
        if (auto* scroll = qobject_cast<QScrollArea*>(above)) scroll->ensureWidgetVisible(next);
    }
}

}  // namespace

std::vector<QWidget*> cardStops(QWidget& page) {
    struct Stop {
        QPoint at;
        QWidget* widget;
    };
    std::vector<Stop> stops;
    for (const Card* card : page.findChildren<Card*>()) {
        if (!card->isVisible() || cardAround(*card)) continue;
        if (QWidget* stop = firstStopOf(*card)) stops.push_back({card->mapTo(&page, QPoint()), stop});
    }
    std::stable_sort(stops.begin(), stops.end(), [](const Stop& a, const Stop& b) {
        return a.at.y() != b.at.y() ? a.at.y() < b.at.y() : a.at.x() < b.at.x();
    });
    std::vector<QWidget*> widgets;
    for (const Stop& stop : stops) widgets.push_back(stop.widget);
    return widgets;
}

void addCardKeys(QWidget& page) {
    const QKeySequence next(Qt::Key_F6), previous(Qt::SHIFT | Qt::Key_F6);
    const auto has = [&page](const QKeySequence& keys) {
        const QList<QAction*> actions = page.actions();
        const QList<QShortcut*> shortcuts = page.findChildren<QShortcut*>();
        return std::any_of(actions.begin(), actions.end(),
                           [&](const QAction* one) { return one->shortcut() == keys; }) ||
               std::any_of(shortcuts.begin(), shortcuts.end(),
                           [&](const QShortcut* one) { return one->key() == keys; });
    };
    if (has(next)) return;
    addKeyedAction(page, QObject::tr("Next card"), {}, next, [&page] { moveFocusToCard(page, 1); });
    addKeyedAction(page, QObject::tr("Previous card"), {}, previous, [&page] { moveFocusToCard(page, -1); });
}

}  // namespace dasgd::gui
