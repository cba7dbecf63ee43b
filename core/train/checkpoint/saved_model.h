// The model that an evaluation would judge, by its parameters' names; Python can load it into the same network.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/step/archive.h"

namespace torch::nn {
class Module;
}

namespace dasgd {

// Sums over ranks by name, in float64.
using TensorSums = std::map<std::string, at::Tensor>;
// Adds the floating-point tensors; others have no mean. Errors: a tensor of another shape than before.
Status addTo(TensorSums& sums, const Archive& part);

// Model from the saved states of ranks, read one after the other and never two of them in memory: the mean over those
// that train, or the weights and running statistics that the algorithm names; where it names no statistics they are the
// mean too. Counters are those of the first that trains, or where statistics are named the largest of all ranks: a
// stage of a model counts the batches of its own layers alone.
class SavedModel {
public:
    // `trains`: the rank makes local steps. Errors: a rank of another model than the first.
    Status add(const Archive& rank, bool trains);
    // Weights and buffers by name, each in its own type. Call it after adding at least one rank that trains.
    [[nodiscard]] Archive take();

private:
    TensorSums weights_, buffers_;
    std::map<std::string, at::Tensor> counters_;
    std::map<std::string, at::Tensor> first_;  // tensors of the first rank that trains, in its types
    int trainers_ = 0;
    bool named_ = false, namedBuffers_ = false;
};

// The model of a network in its present state. A parameter that several modules share has its first name.
[[nodiscard]] Archive modelOf(torch::nn::Module& module);

}  // namespace dasgd
