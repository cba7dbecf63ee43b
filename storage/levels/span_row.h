// The row of the table `span` and its tag (storage/format.md).
#pragma once

#include <sqlite3.h>

#include "core/analysis/timings.h"

namespace dasgd::storage {

[[nodiscard]] inline std::int64_t tagOf(int rank, const Span& span) {
    return static_cast<std::int64_t>(rank) * 256 + static_cast<std::int64_t>(span.lane) * 64 +
           static_cast<std::int64_t>(span.kind);
}

// Of columns tag, step, start_ns, duration_ns, bytes, collective.
[[nodiscard]] inline RankSpan spanOfRow(sqlite3_stmt* row) {
    const std::int64_t tag = sqlite3_column_int64(row, 0);
    const Ns start = sqlite3_column_int64(row, 2);
    return {.rank = static_cast<int>(tag >> 8),
            .span = {.lane = static_cast<Lane>((tag >> 6) & 3),
                     .kind = static_cast<SpanKind>(tag & 63),
                     .step = sqlite3_column_int64(row, 1),
                     .start = start,
                     .end = start + sqlite3_column_int64(row, 3),
                     .bytes = sqlite3_column_int64(row, 4),
                     .collective = static_cast<std::uint64_t>(sqlite3_column_int64(row, 5))}};
}

}  // namespace dasgd::storage
