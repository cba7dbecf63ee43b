// The row of the table `span` and its tag (storage/format.md).
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>

#include "core/analysis/spans/timings.h"

namespace dasgd::storage {

[[nodiscard]] inline std::int64_t tagOf(int rank, const Span& span) {
    return static_cast<std::int64_t>(rank) * 256 + static_cast<std::int64_t>(span.lane) * 64 +
           static_cast<std::int64_t>(span.kind);
}

// Sum of two numbers that a damaged database may hold: saturates instead of overflowing.
[[nodiscard]] inline std::int64_t boundedSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

// The span in a result row with the columns tag, step, start_ns, duration_ns, bytes, collective.
[[nodiscard]] inline RankSpan spanOfRow(sqlite3_stmt* row) {
    const std::int64_t tag = sqlite3_column_int64(row, 0);
    // A damaged row may hold anything: sums of what is passed on stay numbers, and there is a name for everything.
    constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;
    constexpr std::int64_t kMostRank = (1 << 20) - 1;  // largest rank of a journal
    constexpr Ns kFurthest = Ns{1} << 61;
    const Ns start = std::clamp<Ns>(sqlite3_column_int64(row, 2), -kFurthest, kFurthest);
    const Ns length = std::clamp<Ns>(sqlite3_column_int64(row, 3), -kFurthest, kFurthest);
    const auto lane = static_cast<std::size_t>((tag >> 6) & 3), kind = static_cast<std::size_t>(tag & 63);
    return {.rank = static_cast<int>(std::clamp<std::int64_t>(tag >> 8, 0, kMostRank)),
            .span = {.lane = lane < kLaneNames.size() ? static_cast<Lane>(lane) : Lane::Io,
                     .kind = kind < kSpanKindNames.size() ? static_cast<SpanKind>(kind) : SpanKind::Other,
                     .step = std::clamp<std::int64_t>(sqlite3_column_int64(row, 1), -kMostSteps, kMostSteps),
                     .start = start,
                     .end = start + length,
                     .bytes = sqlite3_column_int64(row, 4),
                     .collective = static_cast<std::uint64_t>(sqlite3_column_int64(row, 5))}};
}

}  // namespace dasgd::storage
