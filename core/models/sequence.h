// A network as a sequence of layers, between which it can be cut over ranks (cluster.stages): an interface of a Model
// beside its own. A model without it cannot be cut.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"

namespace torch::nn {
class Module;
}

namespace dasgd {

struct SequenceLayer {
    // The parameters and buffers of a layer are those of its modules. Those of all layers, one after the other, are in
    // the order of registration.
    std::vector<std::shared_ptr<torch::nn::Module>> modules;
    // Output for the output of the layer before it, which it leaves as it is.
    std::function<at::Tensor(const at::Tensor&)> forward;
};

class HasSequence {
public:
    virtual ~HasSequence() = default;
    // All layers, from the input on; build() comes first. Errors: the reason why this network cannot be cut, as the
    // rest of a sentence that begins with its name.
    [[nodiscard]] virtual Result<std::vector<SequenceLayer>> sequence() const = 0;
    // Mean loss in training of the last layer's outputs.
    [[nodiscard]] virtual at::Tensor meanLossOf(const at::Tensor& outputs, const at::Tensor& targets) const = 0;
};

}  // namespace dasgd
