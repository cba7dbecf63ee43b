// Maps the slices of a trace to kinds of spans, by name and category.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/event.h"

namespace dasgd::experiments {

enum class TraceFormat : std::uint8_t { Ours, PyTorch, Other };
[[nodiscard]] const char* nameOf(TraceFormat format);

struct SliceRole {
    enum class Is : std::uint8_t {
        Span,       // of ours: lane and kind are known
        Window,     // of ours
        Step,       // PyTorch: ProfilerStep#n
        Kernel,     // of a device
        Transfer,   // a collective's kernel
        Operator,   // of the host; the outermost of a thread counts
        Work,       // the time of a collective of a process group that has no kernels
        Launch,     // the call that starts one
        Call,       // another call frame of one: a functional collective, its wait
        Beside,     // shown in the lane io: annotations, copies between host and device
        Outermost,  // of another program; what lies inside of it is left out
        LeftOut
    };
    Is is = Is::LeftOut;
    Lane lane = Lane::Compute;
    SpanKind kind = SpanKind::Other;
    std::int64_t step = 0;  // number of a Step
    bool inStream = false;  // work of a device's stream, which does one thing after the other
    bool compiled = false;  // an Operator that runs kernels which are no slices
    std::string why;        // reason of a LeftOut, in the plural
};

[[nodiscard]] SliceRole roleOf(TraceFormat format, std::string_view name, std::string_view category);

}  // namespace dasgd::experiments
