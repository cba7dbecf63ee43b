// Constraints across the sections of an experiment, checked once its data are loaded and its model is built, and before
// any rank starts. Constraints within a section are its own (P::check()).
#pragma once

#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "core/experiment/experiment.h"

namespace dasgd {

// Checks one experiment: the algorithm's own check, and settings that would have no effect. `document` is the source of
// the experiment; errors begin with the position of the key at fault.
[[nodiscard]] Status checkRun(const Value& document, const Experiment& experiment, const Plan& plan);

// Checks that the step time of a simulated run can be estimated, where it is not measured. Loads the data: experiments
// that share model, data and cluster need it once.
[[nodiscard]] Status checkStepTime(const Value& document, const Experiment& experiment);

}  // namespace dasgd
