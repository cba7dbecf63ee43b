// Embedding tables of a model, one for each of its categorical features: an interface of a Model beside its own. A
// model has it if naturalInput().categories.features > 0.
#pragma once

#include <ATen/core/Tensor.h>

namespace dasgd {

// The tables, [rows, width] each, are the model's first parameters, in the order of the features. A lookup pools the
// rows that a sample names of a table: it is their sum.
class HasEmbeddingTables {
public:
    virtual ~HasEmbeddingTables() = default;
    // Row numbers that a batch of inputs [B, …] names, [B, features, lookups], in the type of the inputs.
    [[nodiscard]] virtual at::Tensor rowsOf(const at::Tensor& inputs) const = 0;
    // Makes the next loss() take these lookups, [B, features, width], in place of its own tables'. Their gradient is
    // then theirs alone: the tables get none.
    virtual void takePooled(at::Tensor pooled) = 0;
};

}  // namespace dasgd
