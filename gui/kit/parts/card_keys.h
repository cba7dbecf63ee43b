// F6 and Shift+F6, which move the focus from card to card of a page.
#pragma once

#include <QWidget>
#include <vector>

namespace dasgd::gui {

// The first widget of each visible card of `page` that takes the focus by Tab, ordered row by row from the top left. A
// card within a card does not count.
[[nodiscard]] std::vector<QWidget*> cardStops(QWidget& page);

// Adds the keys while `page` is visible, unless the page uses F6 itself. They are deleted with the page.
void addCardKeys(QWidget& page);

}  // namespace dasgd::gui
