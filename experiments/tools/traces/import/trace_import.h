// `dasgd import`: trace files of one run → a run of the workspace.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/tools/traces/import/trace_slices.h"

namespace dasgd::experiments {

struct ImportOptions {
    std::vector<std::filesystem::path> files;  // one per rank for files of PyTorch's profiler
    std::filesystem::path workspace;
    std::string name;                      // name of the experiment; "": that of the first file
    std::function<void(double)> progress;  // from 0 to 1, on the calling thread; may be empty
    // Asked just before the run is begun, and again and again while it is written: true ends it as `failed`, with what
    // was written by then. May be empty.
    std::function<bool()> cancelled;
};

struct ImportOutcome {
    std::string runId, format;
    int ranks = 0;
    std::int64_t spans = 0, steps = 0;
    TraceCounts dropped, leftOut, remarks;  // see TraceSlices and SpanStream
    std::vector<std::string> stopped;       // "FILE: why it was not read to its end"
    [[nodiscard]] std::int64_t droppedCount() const;
};

// Memory is bounded however large the files are. A damaged file gives what can be read of it. Errors: a file that
// cannot be read or has no slice, files that do not belong together, the disk, that it was cancelled.
Result<ImportOutcome> importTraces(const ImportOptions& options);

}  // namespace dasgd::experiments
