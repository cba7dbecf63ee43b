// The experiments of a file, each at several numbers of workers.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

// "1,2,8", "1..8" and "1,2,…,1024" (or ...: goes on by the ratio of the two before it), in any mixture. Rising, each
// once. Errors: no number, below 1, a row that misses its end.
[[nodiscard]] Result<std::vector<int>> parseWorkerCounts(const std::string& list);

// The document at that number of workers. Strong scaling shares out the batch that it has at `counts.front()`, the
// smallest, and a step time that is given goes with the batch. Errors: a batch that one of the counts does not divide.
[[nodiscard]] Result<Value> atWorkers(const Value& document, int workers, const std::vector<int>& counts,
                                      Scaling scaling);

struct ScalingJob {
    CheckedExperiment experiment;
    LinePlace place;
    std::size_t configuration = 0;  // index in ScalingPlan::configurations
};

// A number of workers at which a configuration cannot be run.
struct ScalingRefusal {
    int workers = 0;
    std::size_t configuration = 0;  // index in ScalingPlan::configurations
    std::string why;                // with the place in the file
};

struct ScalingPlan {
    std::vector<ScalingJob> jobs;  // few workers first: what is cheap is known early
    // At the smallest number of workers that it is accepted at, of the first seed; a configuration is a line of points.
    std::vector<CheckedExperiment> configurations;
    std::vector<ScalingRefusal> refused;  // refused points, as a batch larger than a worker's share; few workers first
};
// Errors: as loadExperiments(), of a configuration that is refused at every number of workers; those of atWorkers().
[[nodiscard]] Result<ScalingPlan> planScaling(const std::string& file, const Overrides& overrides,
                                              const std::vector<int>& counts, Scaling scaling);

}  // namespace dasgd::experiments
