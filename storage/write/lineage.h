// A run that goes on from another one's checkpoint: which, and what it takes over of its records.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "core/base/result.h"
#include "storage/runs/run_info.h"

namespace dasgd::storage {

// Inside a write transaction, with the row of `info` just inserted. Where info.resumedFrom is a run of this workspace,
// its metrics up to step info.resumedStep become the new run's too, so that its curves, its best accuracy and the time
// to its target are those of the whole training. Spans, and the numbers that are formed from them, stay with the run
// that measured them; so do all of a run with another number of workers. Errors: the workspace has no such run.
[[nodiscard]] Status takeOverHistory(SQLite::Database& database, const RunInfo& info);

}  // namespace dasgd::storage
