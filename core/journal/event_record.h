// One event of a rank, read back from where it was kept: a journal, or a stream from another host.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/event.h"

namespace dasgd {

// `type` names the members that are set: `span` with `name`, `metric`, or the three fields of a state. `name`,
// `metric.name` and `text` point into the reader and live until its next call.
struct EventRecord {
    enum class Type : std::uint8_t { Span, Metric, State };
    Type type{};
    std::uint64_t sequence = 0;  // grows from record to record of one reader, by more than 1 where it skips numbers
    std::optional<int> rank;     // nullopt: the rank that the reader's records belong to unless they say otherwise
    Span span;
    std::string_view name;  // another program's name of the span; "" for our own
    Metric metric;
    RankState state{};
    std::int64_t step = 0;
    std::string_view text;
};

}  // namespace dasgd
