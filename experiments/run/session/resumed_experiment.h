// A run that ended early goes on: whether it can, with which settings, from where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/session/resume_point.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

// Errors: the run has not ended, or has nothing left to do.
[[nodiscard]] Status checkResumable(storage::RunReader& reader, const storage::RunRow& run);

// The same training with another number of workers: the same epochs, or the same samples for a model without data.
// `before` was checked from `document`. Errors: its algorithm can only resume with the number of workers it had.
[[nodiscard]] Result<CheckedExperiment> withWorkers(const Value& document, const CheckedExperiment& before,
                                                    int workers);

// Where `experiment` goes on with the run `runId`, as resumePointOf() has it. Errors: it cannot; the run had other
// settings, or had them with another number of workers than withWorkers() has written into those of `experiment`.
[[nodiscard]] Result<ResumePoint> checkedResumePoint(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                                     const std::string& runId, const CheckedExperiment& experiment,
                                                     std::optional<std::int64_t> step = {});

}  // namespace dasgd::experiments
