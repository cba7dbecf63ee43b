// How much charts smooth, of what is many noisy values: the weights of an exponential moving average that they offer.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <array>
#include <cstddef>

namespace dasgd::gui {

inline constexpr std::array<double, 5> kSmoothings{0, 0.5, 0.9, 0.97, 0.99};
inline constexpr int kUsualSmoothing = 2;

// Of the choice at this place.
[[nodiscard]] inline double smoothingAt(int place) { return kSmoothings.at(static_cast<std::size_t>(place)); }

// "raw", "smooth 0.5", …
[[nodiscard]] inline QStringList smoothingNames() {
    QStringList names{QObject::tr("raw")};
    for (std::size_t i = 1; i < kSmoothings.size(); ++i) names << QObject::tr("smooth %1").arg(kSmoothings[i]);
    return names;
}

// Behind the name of an axis; "" where nothing is smoothed.
[[nodiscard]] inline QString smoothingInWords(double weight) {
    return weight > 0 ? QStringLiteral(" (average, weight %1)").arg(weight) : QString();
}

}  // namespace dasgd::gui
