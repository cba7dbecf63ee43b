// The compute inflation of a run and of several, with how far it scatters: a few per cent are soon noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics.h"

namespace dasgd {

// Inflation of one run, from those of its ranks; n = 0 where it is not known: of fewer than three ranks, or where the
// 95 % interval is wider than the mean.
[[nodiscard]] Sample inflationOfRanks(const std::vector<double>& ranks);
// Inflation of repetitions, from those of the runs that know it; n = 0 where the interval is wider than the mean.
[[nodiscard]] Sample inflationOfRuns(const std::vector<double>& runs);

// True where 1, no inflation at all, lies in the 95 % interval of the sample's mean; false where there is no interval.
[[nodiscard]] bool isWithinNoise(const Sample& inflation);
// True where no inflation is shown: within noise, or below 1, as moving bytes speeds no computing up.
[[nodiscard]] bool showsNone(const Sample& inflation);
// The value where it is one that can be shown: none below 1, where something else slowed the steps without transfers.
[[nodiscard]] inline std::optional<double> measurable(std::optional<double> inflation) {
    return inflation && *inflation >= 1 ? inflation : std::nullopt;
}
inline constexpr const char* kNotMeasurable = "not measurable";

// "1.08 ± 0.03", "1.01 ± 0.05, within noise": half the 95 % interval of the mean over the ranks, where they differ.
// "not measurable here (0.91 ± 0.02)" below 1, where something else slowed the steps without transfers. `unit` follows
// the numbers. "not known" where n = 0.
[[nodiscard]] std::string inflationInWords(const Sample& ranks, const std::string& unit = "");

}  // namespace dasgd
