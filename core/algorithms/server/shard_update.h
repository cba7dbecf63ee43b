// What a serving rank does with a gradient, or with what else its workers push: the part of a parameter server that has
// tensors and differs between algorithms. Default: the optimiser steps, and a worker is sent the weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/base/result.h"
#include "core/optimizers/optimizer.h"
#include "core/step/flat_params.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

class ShardUpdate {
public:
    virtual ~ShardUpdate() = default;
    // One update of the shard's weights, from shard.gradients(): the mean of what `workers`, ascending, have pushed. It
    // may overwrite that. Called within a Merge of the executor; not called where nothing is computed.
    virtual void make(StepContext& context, FlatParams& shard, double rate,
                      [[maybe_unused]] const std::vector<int>& workers) {
        context.optimizer().step(shard, rate);
    }
    // What `worker` is sent instead of the weights, of the shard's size and unchanged until its next update. Undefined:
    // the weights.
    [[nodiscard]] virtual at::Tensor answerTo([[maybe_unused]] int worker) { return {}; }
    // State between two steps of all workers. Default: none.
    virtual void save(Archive&) const {}
    virtual Status load(const Archive&) { return {}; }
};

}  // namespace dasgd
