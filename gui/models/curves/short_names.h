// Names cut to the room that there is, still telling the curves apart.
#pragma once

#include <QStringList>
#include <functional>

namespace dasgd::gui {

// Each name as it is where `widthOf` says that it fits into `room`. Of a longer one its first word stays, such as the
// algorithm, and of the other words those that the fewest names have; "…" stands for the others. Where even the first
// word does not fit, a name loses its middle. Where some would still be shown alike, or lose a setting, all that are
// too long go without what all of them have, the words of their settings cut or left out, "τ 4" as "τ4"; as a last
// resort they are numbered, with the same numbers whatever the order of `names`. What differs in `names` differs in the
// answer, as long as there is room for a number.
[[nodiscard]] QStringList namesThatFit(const QStringList& names, double room,
                                       const std::function<double(const QString&)>& widthOf);

}  // namespace dasgd::gui
