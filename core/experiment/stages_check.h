// The part of reading an experiment that is about a model which is cut into stages.
#pragma once

#include "core/experiment/experiment.h"

namespace dasgd {

// Refuses cluster.stages beside settings that need a whole model on every rank. `document` has every field.
[[nodiscard]] Status checkStages(const Value& document, const Experiment& experiment);

}  // namespace dasgd
