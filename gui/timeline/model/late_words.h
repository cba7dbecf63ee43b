// Lateness of a rank in words.
#pragma once

#include <QString>
#include <cmath>

namespace dasgd::gui {

// "+37 ms", "−0.4 ms"; one decimal below 10 ms, no sign if that is 0.0.
[[nodiscard]] inline QString lateInWords(double ns) {
    const double ms = ns / 1e6;
    const QString text = QString::number(std::abs(ms), 'f', std::abs(ms) < 10 ? 1 : 0) + QStringLiteral(" ms");
    if (text.startsWith(QLatin1String("0.0"))) return text;
    return (ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
}

}  // namespace dasgd::gui
