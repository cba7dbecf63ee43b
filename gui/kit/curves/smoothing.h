// The smoothing that charts offer for noisy metrics: weights of an exponential moving average.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <array>
#include <cstddef>

namespace dasgd::gui {

inline constexpr std::array<double, 5> kSmoothings{0, 0.5, 0.9, 0.97, 0.99};
inline constexpr int kUsualSmoothing = 2;

// The weight at this index of kSmoothings.
[[nodiscard]] inline double smoothingAt(int place) { return kSmoothings.at(static_cast<std::size_t>(place)); }

// "raw", "smooth 0.5", …
[[nodiscard]] inline QStringList smoothingNames() {
    QStringList names{QObject::tr("raw")};
    for (std::size_t i = 1; i < kSmoothings.size(); ++i) names << QObject::tr("smooth %1").arg(kSmoothings[i]);
    return names;
}

// Suffix of an axis name; "" where nothing is smoothed.
[[nodiscard]] inline QString smoothingInWords(double weight) {
    return weight > 0 ? QStringLiteral(" (average, weight %1)").arg(weight) : QString();
}

}  // namespace dasgd::gui
