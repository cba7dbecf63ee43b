// Age of something in words, for lists: "just now", "1 min old", "3 days old".
#pragma once

#include <QDateTime>
#include <QString>

namespace dasgd::gui {

[[nodiscard]] QString ageInWords(const QDateTime& then, const QDateTime& now);

}  // namespace dasgd::gui
