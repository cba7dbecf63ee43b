// F6 and Shift+F6: the focus goes from card to card of a page.
#pragma once

#include <QWidget>
#include <vector>

namespace dasgd::gui {

// In each card of `page` that is seen the first part that takes the focus by Tab, from the top left on, row by row. A
// card within a card does not count.
[[nodiscard]] std::vector<QWidget*> cardStops(QWidget& page);

// The keys, while `page` is seen; none where it has an order of its own under F6. They end with the page.
void addCardKeys(QWidget& page);

}  // namespace dasgd::gui
