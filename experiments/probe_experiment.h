// The experiment that measures the cluster of another one.
#pragma once

#include <string>

#include "experiments/checked_experiment.h"

namespace dasgd::experiments {

// The same model, data, batch and cluster, with the algorithm probe, as many steps as it needs and a full trace. A
// sweep of the file is left out. Errors: of the file; one worker, between whom and nobody there is nothing to measure.
[[nodiscard]] Result<CheckedExperiment> probeExperiment(const std::string& file, const Overrides& overrides);
// Of a document that is no file.
[[nodiscard]] Result<CheckedExperiment> probeExperimentOf(Value document, const Overrides& overrides);

}  // namespace dasgd::experiments
