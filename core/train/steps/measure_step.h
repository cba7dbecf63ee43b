// Duration of one local step on this machine, phase by phase: the computing time of a virtual rank.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/sim/compute/compute.h"
#include "core/train/data/training_data.h"

namespace dasgd {

// Trains one rank for some steps (about a second, at least 5) with the experiment's threads and takes medians. Nothing
// of the training is kept. Errors: the model cannot be built.
[[nodiscard]] Result<StepTimes> measureStepTimes(const Experiment& experiment, const TrainingData& data);

// Step times measured, given, or estimated from the device's peak, as the experiment says.
[[nodiscard]] Result<StepTimes> stepTimesOf(const Experiment& experiment, const TrainingData& data);

}  // namespace dasgd
