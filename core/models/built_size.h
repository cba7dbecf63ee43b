// Size of a model, found without allocating its memory.
#pragma once

#include <optional>

#include "core/models/model.h"

namespace dasgd {

// Bytes of the parameters and buffers that model.build(context) makes, or of the largest tensor that it allocates where
// that is larger. The model is built on the meta device, where tensors have shapes and no values: this takes
// milliseconds whatever the size, and `model` is of no use afterwards. nullopt: not known, as of a model that reads
// values while it is built, refuses its input, or allocates nothing. Any thread.
[[nodiscard]] std::optional<double> sizeOfBuilt(Model& model, const BuildContext& context);

}  // namespace dasgd
