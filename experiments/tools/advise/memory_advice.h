// Memory that training takes on a rank with each way to divide its state, and which parameter tensors to divide within
// a limit (core/cost/memory/shard_plan.h). Pure: nothing is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cost/memory/rank_memory.h"
#include "core/cost/memory/shard_plan.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

struct MemoryRow {
    std::string name;       // "data parallel"
    std::string algorithm;  // of this engine; "" where it has none
    RankMemory memory;
    bool isExperiments = false;  // the experiment's own algorithm
};

struct MemoryPlan {
    double limitBytes = 0;
    std::vector<double> parameters;  // of each tensor
    ShardPlan chosen, whole, divided;
    bool isTimed = false;  // seconds are of the experiment's [network]; otherwise those of one byte a second
};

// Elements of each parameter of each stage, where the model is cut.
using StageSizes = std::vector<std::vector<std::int64_t>>;

struct MemoryAdvice {
    int ranks = 0;          // that divide the state among themselves: those of one stage, where the model is cut
    double parameters = 0;  // on each of them
    // Number of stages, and the one that is counted, from 1: the one with the most of all `wholeParameters`.
    int stages = 1, stage = 1;
    double wholeParameters = 0;
    double optimizerTensors = 0;
    StateBytes state;
    std::vector<MemoryRow> rows;       // of the experiment's model, optimiser and number type
    std::vector<MemoryRow> published;  // the same parameters with Adam in mixed precision, as ZeRO counts them
    // Sentences: what is not counted.
    std::vector<std::string> remarks;
    std::optional<MemoryPlan> plan;  // where a limit is given
};

// `algorithms`: registeredAlgorithms(); `stages`: stageParameters() of the experiment. Errors: a limit below the
// least that any plan takes.
[[nodiscard]] Result<MemoryAdvice> memoryAdvice(const CheckedExperiment& experiment,
                                                const std::vector<AlgorithmInfo>& algorithms,
                                                std::optional<double> limitBytes, const StageSizes& stages = {});

}  // namespace dasgd::experiments
