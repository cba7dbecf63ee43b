// The spans of a run once more, from its rows, in the order of time.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>

#include "core/base/event.h"

namespace dasgd::storage {

// `mayBeDivided`: false of a reduce of a collective that no rank will report any more.
using TakeReplayed = std::function<void(int rank, const Span& span, bool mayBeDivided)>;

// By start; a window after every span that starts before its end. Keeps in memory what the chunks that overlap in time
// hold. Inside a transaction. Throws SQLite::Exception.
void replaySpans(SQLite::Database& database, std::int64_t runKey, const TakeReplayed& take);

}  // namespace dasgd::storage
