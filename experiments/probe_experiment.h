// The experiment that measures the cluster of another one.
#pragma once

#include <string>
#include <vector>

#include "experiments/calibration.h"
#include "experiments/checked_experiment.h"
#include "experiments/run_session.h"

namespace dasgd::experiments {

// The same model, data, batch and cluster, with the algorithm probe, as many steps as it needs and a full trace. A
// sweep of the file is left out. Errors: of the file; several cases; one worker, between whom and nobody there is
// nothing to measure.
[[nodiscard]] Result<CheckedExperiment> probeExperiment(const std::string& file, const Overrides& overrides);
// Of a document that is no file.
[[nodiscard]] Result<CheckedExperiment> probeExperimentOf(Value document, const Overrides& overrides);

// For commands that look at one experiment. Errors: there are several.
[[nodiscard]] Status checkOnlyOne(const std::vector<CheckedExperiment>& experiments);

// Errors: the run does not finish, or says too little.
[[nodiscard]] Result<Calibration> runProbe(RunSession& session, const CheckedExperiment& probe,
                                           const std::string& title);

}  // namespace dasgd::experiments
