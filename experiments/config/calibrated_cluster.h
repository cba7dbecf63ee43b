// An experiment on a calibrated cluster instead of its own.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd::experiments {

// Puts the experiment `document` onto the cluster of `calibration`: its backend becomes virtual, its [network] and
// [compute] those of the calibration. The number of workers stays the experiment's where it says one, and so does its
// [compute] where the calibration has none, as one of a network alone. Errors: a calibration with other sections,
// without [network], or that is not virtual; a [[case]] of the document that has a network, computing or backend of its
// own.
Status applyCalibration(Value& document, const Value& calibration);

// True if a backend of that name exists and its time is simulated.
[[nodiscard]] bool timeIsSimulated(const std::string& backend);

}  // namespace dasgd::experiments
