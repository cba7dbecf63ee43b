// The experiment that measures the cluster of another one.
#pragma once

#include <string>
#include <string_view>

#include "experiments/config/checked_experiment.h"
#include "experiments/run/session/run_session.h"
#include "experiments/tools/calibrate/calibration.h"

namespace dasgd::experiments {

// The document of the one experiment that a command looks at, with the settings of the command line and without the
// sweep of the file. Later changes to it are not overridden. Errors: the file has several cases; those of the
// overrides.
[[nodiscard]] Result<Value> onlyDocument(Value document, const Overrides& overrides);

// Behind the experiment's name, so that what is run to tell something about it is not among its own runs. A name that
// is too long for it is cut.
void addToName(Value& document, std::string_view suffix);

// Removes the settings that end a training early and those that profile steps, for runs that measure and time-only
// runs.
void leaveOutTargetsAndProfile(Value& document);

// Removes the division of samples among unlike workers: every rank has equal batches.
void leaveOutBalance(Value& document);

// Refuses a model that is cut into stages: the probe and the algorithms of a forecast train whole ones.
[[nodiscard]] Status refuseStages(const Value& document);

// The experiment of `file` with the algorithm probe, as many steps as that needs, and a full trace. Its name ends in
// " (probe)", because it is no configuration of the experiment. Errors: those of the file; several cases; a
// model that is cut into stages; a single worker, which has no link to measure.
[[nodiscard]] Result<CheckedExperiment> probeExperiment(const std::string& file, const Overrides& overrides);
// probeExperiment() for an onlyDocument().
[[nodiscard]] Result<CheckedExperiment> probeExperimentOf(Value document);

// Errors: the run does not finish, or says too little.
[[nodiscard]] Result<Calibration> runProbe(RunSession& session, const CheckedExperiment& probe,
                                           const std::string& title);

}  // namespace dasgd::experiments
