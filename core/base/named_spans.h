// Spans with names of their own: operators and kernels of a step that was looked at more closely.
#pragma once

#include <string_view>

#include "core/base/event.h"

namespace dasgd {

// What an EventSink may be beside; of the same one thread.
class NamedSpanSink {
public:
    virtual ~NamedSpanSink() = default;
    virtual void namedSpan(const Span& span, std::string_view name) = 0;
};

}  // namespace dasgd
