// The ranks of this process, on the backend that the experiment names.
#pragma once

#include <memory>

#include "core/backends/backend.h"
#include "core/experiment/experiment.h"
#include "core/train/data/training_data.h"

namespace dasgd {

// Fills in the members of the request that are left open (cluster, simulated) from the experiment. `data` is needed
// where time is simulated, null elsewhere; it and the experiment outlive the host. Errors: see Backend::open.
[[nodiscard]] Result<std::unique_ptr<RankHost>> openHost(const Experiment& experiment, const TrainingData* data,
                                                         HostRequest request);

}  // namespace dasgd
