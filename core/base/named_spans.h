// Spans with names of their own: operators and kernels of a profiled step, and messages whose sender tells what they
// carry.
#pragma once

#include <string_view>

#include "core/base/event.h"

namespace dasgd {

// Optional second interface of an EventSink, called by the same producer thread.
class NamedSpanSink {
public:
    virtual ~NamedSpanSink() = default;
    virtual void namedSpan(const Span& span, std::string_view name) = 0;
};

}  // namespace dasgd
