// Causes of the time in which a rank did not compute. Pure.
#pragma once

#include <span>

#include "core/base/event.h"
#include "core/base/time_range.h"

namespace dasgd {

// Time in which a rank's compute lane was idle or waited, by cause; the parts are disjoint and add up to all().
struct IdleBreakdown {
    Ns transfer = 0;     // waited while a collective, as an average, was under way
    Ns skew = 0;         // waited for ranks that had not arrived at the collective yet
    Ns messages = 0;     // waited for a single message: for no numbered collective
    Ns data = 0;         // idle, while data were read
    Ns evaluation = 0;   // idle, during an evaluation or a checkpoint
    Ns unexplained = 0;  // idle, and no span says why
    [[nodiscard]] Ns all() const { return transfer + skew + messages + data + evaluation + unexplained; }
    IdleBreakdown& operator+=(const IdleBreakdown& more);
    bool operator==(const IdleBreakdown&) const = default;
};

// Breakdown for one rank's spans in any order, clipped to `selection`, by unions of intervals: `idle` of
// summariseOverlap(), and the part of its `blocked` that no computing covers.
[[nodiscard]] IdleBreakdown idleOf(std::span<const Span> spans, TimeRange selection);

}  // namespace dasgd
