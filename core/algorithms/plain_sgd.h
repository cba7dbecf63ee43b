// Refusal of optimisers other than plain SGD, for rules that make the step themselves.
#pragma once

#include <optional>
#include <string>

#include "core/algorithms/algorithm.h"

namespace dasgd {

[[nodiscard]] inline std::optional<FieldError> refuseAllButPlainSgd(const std::string& name, const RunOutline& facts) {
    if (facts.optimizerState > 0 || facts.layerwise) {
        return FieldError{"optimizer.name",
                          name + " makes the step itself: set name = \"sgd\" and momentum = 0 in [optimizer]"};
    }
    if (facts.decaysWeights) {
        return FieldError{"optimizer.weight_decay", name + " makes the step itself, without weight decay: remove it"};
    }
    if (facts.clips) {
        return FieldError{"train.gradient_clip", name + " makes the step itself, without clipping: remove it"};
    }
    return std::nullopt;
}

}  // namespace dasgd
