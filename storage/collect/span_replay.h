// Reads the stored spans of a run from lab.db in the order of time.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>

#include "core/base/event.h"

namespace dasgd::storage {

// `neverDivided`: true for an undivided reduce whose collective no other rank will report any more; false for all other
// spans.
using TakeReplayed = std::function<void(int rank, const Span& span, bool neverDivided)>;

// Calls `take` for each span of the run, in the order of the spans' starts; for a window at the place of its end, after
// all spans that it covers. Holds the rows of chunks that overlap in time in memory. Precondition: a transaction is
// open. Throws SQLite::Exception.
void replaySpans(SQLite::Database& database, std::int64_t runKey, const TakeReplayed& take);

}  // namespace dasgd::storage
