// How late a rank comes, in words.
#pragma once

#include <QString>
#include <cmath>

namespace dasgd::gui {

// "+37 ms", "−0.4 ms"; to a tenth where it is little, without a sign where that is nothing.
[[nodiscard]] inline QString lateInWords(double ns) {
    const double ms = ns / 1e6;
    const QString text = QString::number(std::abs(ms), 'f', std::abs(ms) < 10 ? 1 : 0) + QStringLiteral(" ms");
    if (text.startsWith(QLatin1String("0.0"))) return text;
    return (ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
}

}  // namespace dasgd::gui
