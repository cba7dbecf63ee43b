// Records as bytes between hosts, from the forwarder that reads a journal to the collector. Layout: storage/format.md,
// "The stream of a rank".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/journal/event_record.h"

namespace dasgd {

// Adds one record to `frame`. Its text or name may have any length.
void appendRecord(std::string& frame, const EventRecord& record);

// Calls `take` for every record of `frame`, in order; texts and names of a record live as long as `frame`. Answers how
// many. Errors, before the first call: the frame is cut off, or names a type, lane, kind or state that does not exist,
// or its numbers do not grow. Allocates nothing, whatever the bytes.
Result<std::size_t> readRecords(std::string_view frame, const std::function<void(const EventRecord&)>& take);

}  // namespace dasgd
