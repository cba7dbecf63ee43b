// Checks that need the data or the model themselves, made before any rank starts, and the plan of the run.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/experiment/plan.h"

namespace dasgd {

// Loads the data and builds the model once, as every rank will, so that what can be refused is refused before any rank
// starts.
[[nodiscard]] Result<Plan> planExperiment(const Experiment& experiment);

}  // namespace dasgd
