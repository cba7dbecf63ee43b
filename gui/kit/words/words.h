// Numbers as people read them: few significant digits, grouped; the unit is separate so that it can be set smaller.
#pragma once

#include <QString>
#include <optional>

#include "core/base/clock.h"

namespace dasgd::gui {

struct Quantity {
    QString number;
    QString unit;
    [[nodiscard]] QString text() const { return unit.isEmpty() ? number : number + QChar(0x00a0) + unit; }
};

inline const QString kAbsent = QStringLiteral("–");

// About `digits` significant digits, thousands grouped by a thin space: 24310 → "24 310", 0.11834 → "0.1183",
// 0.011834 → "0.01183", 0 → "0".
[[nodiscard]] QString shortNumber(double value, int digits = 4);
// For a column of numbers of one kind, which all have as many decimals: 3.32, 50.40, 0.76.
[[nodiscard]] QString fixedNumber(double value, int decimals);
[[nodiscard]] QString grouped(qint64 value);
[[nodiscard]] Quantity bytesInWords(double bytes);
// The unit follows the magnitude: "740 µs", "12.3 ms", "4.21 s".
[[nodiscard]] Quantity durationInWords(Ns duration);
// "1 run", "2 runs", "0 runs": `noun` is singular and gets an s for any count but 1.
[[nodiscard]] QString counted(qint64 count, const char* noun);
// `plain` as rich text for a tool tip, escaped, so that names are never read as markup.
[[nodiscard]] QString asTip(const QString& plain);
// "0.3 s" below ten seconds, else "00:41", "1:02:03".
[[nodiscard]] QString clockText(double seconds);
// Durations for a column, each with its unit: "0.3 s", "41.0 s", "2 min 05 s", "1 h 02 min".
[[nodiscard]] QString timeText(double seconds);
// 0.9921 → "99.2"; kAbsent for nullopt and NaN.
[[nodiscard]] QString percent(std::optional<double> fraction);

// "Delay sweep / 2" as a file name: "Delay-sweep-2"; "experiment" where nothing is left.
[[nodiscard]] QString fileStem(const QString& name);

}  // namespace dasgd::gui
