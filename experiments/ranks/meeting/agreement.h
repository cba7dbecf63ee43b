// All ranks of a run must run the same thing. Ranks that are started by hand read the experiment each for itself, maybe
// on another host: they compare what they read before anything of the model is exchanged.
#pragma once

#include <string>

#include "core/analysis/runs/configuration.h"
#include "core/base/result.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/ranks/meeting/decision.h"

namespace dasgd::experiments {

// The settings that must be equal on all ranks: the resolved settings, the steps and parameters that follow from them
// (plan.*) and the program (program.*). The path of the data is left out, because hosts may keep data in different
// places.
[[nodiscard]] Settings identityOf(const CheckedExperiment& experiment);

// "" where `own`, of `rank`, equals that of rank 0; else the keys that differ with both values, and what to do.
[[nodiscard]] std::string disagreement(const Settings& ofRank0, const Settings& own, int rank);

// Collective over all ranks that meet. Rank 0 compares everybody's identity with its own and tells the verdict, at once
// where ranks do not even agree on how many they are. Errors: the disagreement, the same sentence on every rank; a rank
// that did not come in time; two processes of one number, which all that came say at once.
[[nodiscard]] Status agreeOnIdentity(const Seat& seat, const Settings& own);

}  // namespace dasgd::experiments
