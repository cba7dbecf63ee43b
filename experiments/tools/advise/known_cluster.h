// The properties that the file of a virtual cluster gives. They are taken and not measured: a probe of a simulation
// sees jitter and contention mixed, while the simulation applies the values of the file. Pure.
#pragma once

#include <optional>

#include "core/base/schema/value.h"
#include "experiments/tools/advise/advice.h"

namespace dasgd::experiments {

// Replaces what a probe measured by what `resolved` says, a checked experiment on a virtual cluster with every field
// written out: κ, the memory's bandwidth, the method of an all-reduce; T_c and its scatter, unless stragglers change
// them; α, β and ρ of a star, whose links are equal ways between any two ranks, and T_m over them.
// `computedStepSeconds`: a step of a rank with factor 1, as the run of the probe recorded it.
void takeKnown(const Value& resolved, std::optional<double> computedStepSeconds, ClusterFacts& facts);

}  // namespace dasgd::experiments
