// A cluster as a file: the sections [cluster], [network] and [compute] of an experiment, which any experiment can be
// run on instead of its own.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/value.h"
#include "experiments/calibration.h"

namespace dasgd::experiments {

// The virtual cluster that behaves as the calibrated one did. Without a link it has no [network], and is none to run
// on.
[[nodiscard]] Value platformOf(const Calibration& calibration);
// The same as a file, with where its numbers come from.
[[nodiscard]] std::string platformDocument(const Calibration& calibration);

// Puts the experiment `document` onto `platform`: its backend becomes virtual, its [network] and [compute] those of the
// platform. The number of workers stays the experiment's where it says one. Errors: a platform with other sections,
// without [network], or that is not virtual; a [[case]] of the document that has a network, computing or backend of its
// own.
Status applyPlatform(Value& document, const Value& platform);

}  // namespace dasgd::experiments
