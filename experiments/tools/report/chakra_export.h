// A run as MLCommons Chakra execution traces, a file for each rank, which simulators such as ASTRA-sim replay on a
// network of their own. The files are streams of Protocol Buffers messages, each behind its length: GlobalMetadata,
// then a Node each (experiments/tools/traces/chakra_nodes.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/read/span_reader.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

struct ChakraExport {
    std::vector<std::filesystem::path> files;  // FOLDER/RUN.RANK.et, by rank
    std::size_t nodes = 0, collectives = 0;    // of all ranks
};

// The all-reduces of a run.
struct AllReduces {
    std::int64_t delay = 0;  // steps from the launch of an average to its merge
    // First steps, which average gradients and behind which rank 0 may broadcast the model's buffers.
    std::int64_t broadcastSteps = 0;
};

// Writes the traces of `run` into `folder`, which is made where missing. Every collective becomes an all-reduce: the
// caller knows that the run has no others, apart from broadcasts of buffers. Errors: a run without spans or of another
// program, with such broadcasts, collectives of some of the ranks, files that are there where `replace` is false,
// whatever chakraNodesOf() says.
[[nodiscard]] Result<ChakraExport> exportChakra(storage::SpanReader& reader, const storage::RunRow& run,
                                                const AllReduces& reduces, const std::filesystem::path& folder,
                                                bool replace);

}  // namespace dasgd::experiments
