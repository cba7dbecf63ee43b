#include "gui/kit/words/age.h"

#include <algorithm>
#include <array>

namespace dasgd::gui {

QString ageInWords(const QDateTime& then, const QDateTime& now) {
    const qint64 seconds = std::max<qint64>(0, then.secsTo(now));
    struct Unit {
        qint64 seconds;
        const char *one, *many;
    };
    constexpr std::array kUnits{Unit{86'400, "1 day old", "%1 days old"}, Unit{3600, "1 h old", "%1 h old"},
                                Unit{60, "1 min old", "%1 min old"}};
    for (const Unit& unit : kUnits) {
        const qint64 count = seconds / unit.seconds;
        if (count >= 1) return count == 1 ? QLatin1String(unit.one) : QString::fromLatin1(unit.many).arg(count);
    }
    return QStringLiteral("just now");
}

}  // namespace dasgd::gui
