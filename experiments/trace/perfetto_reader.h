// Reads Perfetto's protobuf traces: slices of TrackEvent. Other data sources (ftrace, samples, …) are counted.
#pragma once

#include <istream>

#include "experiments/trace/trace_slices.h"

namespace dasgd::experiments {

// One packet in memory at a time, of at most kLargestPacket bytes. What could be read is in `slices`.
void readPerfettoTrace(std::istream& bytes, TraceSlices& slices);

inline constexpr std::uint64_t kLargestPacket = 64ULL << 20;

}  // namespace dasgd::experiments
