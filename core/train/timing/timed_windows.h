// Lengths of a rank's clean windows, which set how often the figures of a run are updated.
#pragma once

#include <cstdint>

#include "core/exec/clean_windows.h"
#include "core/experiment/experiment.h"

namespace dasgd {

// Number of times that figures are recorded in a run of simulated time.
inline constexpr std::int64_t kReportsOfRun = 50;

// `unboundedSkew`: no rank waits for another (Algorithm::hasUnboundedSkew). Then windows end with the same steps on
// every rank, so that the ranks' rates can be added up. `from`: steps that are complete as the run begins; it warms up
// after them.
[[nodiscard]] CleanWindowOptions windowsOf(const Experiment& experiment, const Plan& plan, bool unboundedSkew,
                                           std::int64_t from = 0);

}  // namespace dasgd
