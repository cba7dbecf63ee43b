// The compute inflation of a run as people read it: with how far it scatters, as a few per cent are soon noise.
#pragma once

#include <string>

#include "core/analysis/statistics.h"

namespace dasgd {

// Whether 1, no inflation at all, is as likely a mean as the one of `ranks`: it lies in the 95 % interval. Of one or
// two ranks, whose interval holds nearly everything, whether the value is below 1: moving bytes speeds no computing up.
[[nodiscard]] bool isWithinNoise(const Sample& ranks);
// Nothing follows from it: within noise, or below 1.
[[nodiscard]] bool showsNone(const Sample& inflation);

// "1.08 ± 0.03", "0.98 ± 0.05, within noise", "0.97, within noise" of one rank: half the 95 % interval of the mean over
// the ranks. "0.91 ± 0.02, below 1: none seen" where something else slowed the steps without transfers. `unit` stands
// behind the numbers. "" of none.
[[nodiscard]] std::string inflationInWords(const Sample& ranks, const std::string& unit = "");

}  // namespace dasgd
