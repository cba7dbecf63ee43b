// Reads Perfetto's protobuf traces: slices of TrackEvent. Other data sources (ftrace, samples, …) are counted.
#pragma once

#include <istream>

#include "experiments/tools/traces/import/trace_slices.h"

namespace dasgd::experiments {

// Reads a trace into `slices`, up to the first error. One packet is in memory at a time, of at most kLargestPacket
// bytes.
void readPerfettoTrace(std::istream& bytes, TraceSlices& slices);

inline constexpr std::uint64_t kLargestPacket = 64ULL << 20;

}  // namespace dasgd::experiments
