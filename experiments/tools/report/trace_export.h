// A run's timeline for other programs: Chrome's JSON format, which ui.perfetto.dev and chrome://tracing open, or
// Perfetto's.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

// All spans of a run by start, a bounded number in memory at a time.
Status forEachSpan(storage::SpanReader& reader, const std::string& runId,
                   const std::function<void(const storage::SpanRow&)>& take);

// One process per rank; one track per lane, more where spans of a lane overlap (collectives in flight together), since
// viewers do not show overlapping slices. An arrow leads from each reduce to the merge that uses it. Loss and accuracy
// are counters; where they are not finite, JSON has no number for them, and the trace shows a mark instead. A name that
// ends in .gz is compressed, and .pftrace or .perfetto-trace before that is Perfetto's format, which has no counter
// where a number is not finite. A file of that name is replaced once the new one is whole.
Status exportTrace(storage::WorkspaceReader& reader, const std::string& runId, const std::filesystem::path& file);

}  // namespace dasgd::experiments
