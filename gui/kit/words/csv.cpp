#include "gui/kit/words/csv.h"

#include <QLocale>

namespace dasgd::gui {

QString csvField(QString text) {
    static const QString kFormula = QStringLiteral("=+-@\t\r");
    if (!text.isEmpty() && kFormula.contains(text.front())) text.prepend(QLatin1Char('\''));
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString csvNumber(const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', QLocale::FloatingPointShortest) : QString();
}

}  // namespace dasgd::gui
