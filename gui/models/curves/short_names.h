// Names cut to the room that there is, still telling the curves apart.
#pragma once

#include <QStringList>
#include <functional>

namespace dasgd::gui {

// Each name as it is where `widthOf` says that it fits into `room`, else without its middle. Of those that would become
// the same, the beginning that they share goes first; where even that is not enough they are numbered. What differs in
// `names` differs in the answer, as long as there is room for a number.
[[nodiscard]] QStringList namesThatFit(const QStringList& names, double room,
                                       const std::function<double(const QString&)>& widthOf);

}  // namespace dasgd::gui
