// The state of a run as a reader finds it, though nobody has written it down.
#pragma once

#include "core/base/result.h"
#include "storage/read/run_reader.h"

namespace dasgd::storage {

// Sets in `row` the end that RunReader::lost() found, as the next opening for writing stores it.
inline void endAs(const LostRun& end, RunRow& row) {
    row.status = end.status;
    row.error = end.error;
    row.held = false;
    row.queueTurn.reset();
}

// Sets the end of a run that is stored as under way and that no process runs any more; other rows stay as they are.
inline Status settle(RunReader& reader, RunRow& row) {
    if (row.status != "running" && row.status != "queued") return {};
    DASGD_ASSIGN(const auto end, reader.lost(row.runId));
    if (end) endAs(*end, row);
    return {};
}

}  // namespace dasgd::storage
