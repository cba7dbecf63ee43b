// Division of a model's layers among the stages of a run (cluster.stages): the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace dasgd {

struct TrainingData;

struct StagePlan {
    struct Part {
        std::size_t firstLayer = 0, endLayer = 0;  // of HasSequence::sequence()
        std::size_t firstSlot = 0, endSlot = 0;    // of FlatParams::slots()
        std::vector<std::int64_t> input, output;   // shapes of what it receives and sends for one sample
        // Shares of the time of a whole model's passes.
        double forward = 1, backward = 1;
    };
    std::vector<Part> parts;  // by stage
};

// Cuts so that the most work of a stage is as little as can be, by the FLOP of both passes; of several such cuts the
// earliest. Errors: a model that cannot be built or cut.
[[nodiscard]] Result<StagePlan> planStages(const Experiment& experiment, const TrainingData& data);

// Ends of `parts` consecutive groups of `work`, none of them empty, whose largest sum is the least.
[[nodiscard]] std::vector<std::size_t> evenGroups(const std::vector<double>& work, std::size_t parts);

}  // namespace dasgd
