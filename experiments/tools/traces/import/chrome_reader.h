// Reads Chrome's JSON trace format, object or array, PyTorch's profiler and our own exports included. One event in
// memory at a time.
#pragma once

#include <istream>
#include <optional>
#include <string_view>

#include "experiments/tools/traces/import/trace_slices.h"

namespace dasgd::experiments {

// The slices that could be read are in `slices`. Events that are no JSON are stepped over and counted; where the
// document is cut off, `slices.stoppedAt` says where.
void readChromeTrace(std::istream& bytes, TraceSlices& slices);

// "1234.567" microseconds, as the format counts, in ns: exact, as instants of PyTorch's profiler have more digits than
// a double. nullopt: no number, or none that fits.
[[nodiscard]] std::optional<Ns> nanosecondsOf(std::string_view micros);

}  // namespace dasgd::experiments
