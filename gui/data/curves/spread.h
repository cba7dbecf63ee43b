// Spread over the seeds of a configuration: a band, a whisker or a ±, the same on every page and in every figure.
#pragma once

#include <QString>
#include <optional>

#include "core/analysis/statistics.h"

namespace dasgd::gui {

// In the order of the words of a figure's "band". Two seeds say nothing about a distribution: their spread is half
// their range, so that the mean ± spread reaches from the one to the other. From three seeds on it is as named.
enum class Spread {
    None,
    Std,         // standard deviation with n − 1
    Interval95,  // half width of the 95 % interval of the mean, by Student's t
};

// Half the width of the spread of `n` values; nullopt for one value, without a deviation and for Spread::None.
[[nodiscard]] std::optional<double> spreadOf(const Sample& sample, Spread spread);
// The same for a ratio of two means, whose spread is no range: none below three values.
[[nodiscard]] std::optional<double> spreadOfRatio(const Sample& ratio, Spread spread);
// The same for values whose standard deviation is `std`; NaN where there is none.
[[nodiscard]] double halfWidth(std::size_t n, double std, Spread spread);

// "0.124 ± 0.011": mean and half width with the same number of decimals.
[[nodiscard]] QString withSpread(double mean, double half);
// "0.124 ± 0.011", or "0.124" without a spread; kAbsent for n = 0.
[[nodiscard]] QString spreadInWords(const Sample& sample, Spread spread = Spread::Std);
[[nodiscard]] Sample scaled(Sample sample, double scale);
// "standard deviation".
[[nodiscard]] QString spreadName(Spread spread);
// "standard deviation over seeds, of two half their range".
[[nodiscard]] QString spreadOverSeeds(Spread spread);

}  // namespace dasgd::gui
