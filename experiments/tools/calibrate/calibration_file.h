// A calibration as a file: the sections [cluster], [network] and [compute] of an experiment, which any experiment can
// be run on instead of its own.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "experiments/tools/calibrate/calibration.h"

namespace dasgd::experiments {

// The [network] on which a collective takes as long as `link` says.
[[nodiscard]] Value networkOf(const LinkCost& link);
// A document with the [cluster] of so many simulated workers.
[[nodiscard]] Value virtualCluster(std::int64_t workers);
// The virtual cluster that behaves as the calibrated one did. Without a link it has no [network], and is none to run
// on.
[[nodiscard]] Value calibratedCluster(const Calibration& calibration);
// The text of a calibration file, with the source of each number.
[[nodiscard]] std::string calibrationDocument(const Calibration& calibration);

}  // namespace dasgd::experiments
