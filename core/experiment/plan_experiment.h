// Checks that need the data or the model themselves, made before any rank starts, and the plan of the run.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/experiment/plan.h"
#include "core/models/script/foreign_code.h"

namespace dasgd {

// Loads the data and builds the model once, as every rank will, so that what can be refused is refused before any rank
// starts. A model that computes with code from a file is tried with `attempt`; without it, in this process.
[[nodiscard]] Result<Plan> planExperiment(const Experiment& experiment, const TryForeignCode& attempt = {});
// Bytes of memory of this machine, swap included.
[[nodiscard]] double memoryOfHost();
// True if the model computes with code from a file.
[[nodiscard]] bool runsForeignCode(const Experiment& experiment);

}  // namespace dasgd
