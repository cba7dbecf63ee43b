// The state of a run as a reader finds it, though nobody has written it down.
#pragma once

#include "core/base/result.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

// Gives the row of a run that nobody runs any more (RunReader::lost) the end that the next opening of the workspace for
// writing stores.
inline Status settle(storage::RunReader& reader, storage::RunRow& row) {
    if (row.status != "running" && row.status != "queued") return {};
    DASGD_ASSIGN(const auto end, reader.lost(row.runId));
    if (!end) return {};
    row.status = end->status;
    row.error = end->error;
    return {};
}

}  // namespace dasgd::experiments
