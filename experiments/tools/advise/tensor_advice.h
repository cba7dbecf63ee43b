// Bytes that each rank sends where the ranks divide the matrices of a layer table, or the sequences of a transformer,
// among themselves (core/cost/tensor_parallel.h). Formulas alone: nothing is run, and the engine trains with neither.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cost/tensor_parallel.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

struct TensorRow {
    std::string name;                 // "3-D, a cube of ranks"
    std::string why;                  // there is none: 60 ranks are no cube
    double forwardBytes = 0;          // sent by a rank in a forward pass
    std::optional<double> stepBytes;  // and in both passes; none where the forward pass alone is known
    std::optional<double> seconds;    // of these, over the experiment's network; none without one that is known
};

struct TensorAdvice {
    int ranks = 0;
    double rows = 0;  // of a batch of all ranks
    std::vector<LayerProduct> layers;
    double elementBytes = 0;
    bool hasConvolutions = false;      // which are left out
    std::vector<TensorRow> products;   // 1-D, 2-D, 3-D, and data parallel beside them
    double activations = 0;            // M, elements that go into the first layer
    std::vector<TensorRow> sequences;  // of the forward pass of a pair of blocks
};

// Errors: a model that is no layer_table with dense layers.
[[nodiscard]] Result<TensorAdvice> tensorAdvice(const CheckedExperiment& experiment);

}  // namespace dasgd::experiments
