// Shortens names to fit a given width so that they still differ.
#pragma once

#include <QStringList>
#include <functional>

namespace dasgd::gui {

// Names that fit into `room` by `widthOf` stay as they are. A longer one keeps its first word, such as the algorithm,
// and the other words that the fewest names have; "…" stands for the rest. If not even the first word fits, the middle
// of the name is cut. If some names would then be equal, or lose a setting, all that are too long drop what all names
// have, and the words of their settings are cut or left out ("τ 4" as "τ4"). As a last resort the names are numbered,
// independently of the order of `names`. Different names stay different as long as there is room for a number.
[[nodiscard]] QStringList namesThatFit(const QStringList& names, double room,
                                       const std::function<double(const QString&)>& widthOf);

}  // namespace dasgd::gui
