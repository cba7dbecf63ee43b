#include "experiments/tools/traces/import/trace_roles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace dasgd::experiments {

namespace {

using Is = SliceRole::Is;

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
}

template <std::size_t n>
bool startsWithAny(std::string_view text, const std::array<std::string_view, n>& starts) {
    return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

template <class Names>
std::size_t placeOf(const Names& names, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

SliceRole roleOfOurs(std::string_view name, std::string_view category) {
    // An imported trace that was exported again: its spans have the names of the other program, and their kind stands
    // behind the lane.
    const std::size_t slash = category.find('/');
    if (slash != std::string_view::npos) name = category.substr(slash + 1);
    const std::size_t kind = placeOf(kSpanKindNames, name), lane = placeOf(kLaneNames, category.substr(0, slash));
    if (lane == kLaneNames.size()) return {.is = Is::LeftOut, .why = "slices of no lane"};
    if (kind == kSpanKindNames.size()) return {.is = Is::LeftOut, .why = "slices of no kind"};
    const auto where = static_cast<Lane>(lane);
    const auto what = static_cast<SpanKind>(kind);
    return {.is = what == SpanKind::Window ? Is::Window : Is::Span, .lane = where, .kind = what};
}

SliceRole roleOfKernel(std::string_view name) {
    constexpr std::array<std::string_view, 4> kCollectives{"nccl", "rccl", "oneccl", "hccl"};
    if (startsWithAny(lower(name), kCollectives)) {
        return {.is = Is::Transfer, .lane = Lane::Comm, .kind = SpanKind::Transfer, .inStream = true};
    }
    return {.is = Is::Kernel, .kind = SpanKind::Compute, .inStream = true};
}

SliceRole roleOfHost(std::string_view name, bool annotation) {
    constexpr std::string_view kStep = "ProfilerStep#";
    constexpr std::array<std::string_view, 5> kWorks{"nccl:", "gloo:", "mpi:", "ucc:", "xccl:"};
    // Functional collectives and their waits, DTensor's, and what c10d notes of each call.
    constexpr std::array<std::string_view, 4> kCalls{"_c10d_functional",
                                                     "c10d_functional::", "_dtensor::", "record_param_comms"};
    constexpr std::array<std::string_view, 3> kCompiled{"Torch-Compiled Region", "CompiledFunction",
                                                        "## Call CompiledFxGraph"};
    if (name.starts_with(kStep)) {
        SliceRole role{.is = Is::Step, .lane = Lane::Io, .kind = SpanKind::Window};
        std::from_chars(name.data() + kStep.size(), name.data() + name.size(), role.step);
        return role;
    }
    if (startsWithAny(name, kWorks)) return {.is = Is::Work, .lane = Lane::Comm, .kind = SpanKind::Transfer};
    if (name.starts_with("c10d::")) return {.is = Is::Launch, .lane = Lane::Comm, .kind = SpanKind::Transfer};
    if (startsWithAny(name, kCalls)) return {.is = Is::Call, .lane = Lane::Comm, .kind = SpanKind::Transfer};
    if (name.starts_with("Optimizer.step")) return {.is = Is::Operator, .kind = SpanKind::Update};
    if (name.starts_with("enumerate(DataLoader)")) return {.is = Is::Operator, .kind = SpanKind::Data};
    if (annotation) return {.is = Is::Beside, .lane = Lane::Io, .kind = SpanKind::Other};
    if (name.starts_with("autograd::engine::evaluate_function"))
        return {.is = Is::Operator, .kind = SpanKind::Backward};
    return {.is = Is::Operator, .kind = SpanKind::Compute, .compiled = startsWithAny(name, kCompiled)};
}

SliceRole roleOfPyTorch(std::string_view name, std::string_view category) {
    const std::string kind = lower(category);
    if (kind == "kernel") return roleOfKernel(name);
    if (kind == "gpu_memcpy" || kind == "gpu_memset" || kind == "memcpy" || kind == "memset") {
        return {.is = Is::Beside, .lane = Lane::Io, .kind = SpanKind::Other, .inStream = true};
    }
    if (kind == "cpu_op" || kind == "operator") return roleOfHost(name, false);
    if (kind == "user_annotation") return roleOfHost(name, true);
    if (kind.empty()) return {.is = Is::LeftOut, .why = "slices without a category"};
    return {.is = Is::LeftOut, .why = "slices of the category " + kind};
}

}  // namespace

const char* nameOf(TraceFormat format) {
    switch (format) {
        case TraceFormat::Ours: return "DaSGD Lab";
        case TraceFormat::PyTorch: return "PyTorch profiler";
        default: return "other";
    }
}

SliceRole roleOf(TraceFormat format, std::string_view name, std::string_view category) {
    switch (format) {
        case TraceFormat::Ours: return roleOfOurs(name, category);
        case TraceFormat::PyTorch: return roleOfPyTorch(name, category);
        default: return {.is = Is::Outermost, .kind = SpanKind::Other};
    }
}

}  // namespace dasgd::experiments
