#include "experiments/trace/thread_frames.h"

#include <algorithm>

namespace dasgd::experiments {

namespace {

// Profilers that count whole microseconds let a call end up to one of them after the one that it lies in.
constexpr Ns kRounding = 1000;
// Beyond so many, an operator counts by those inside of it, whatever else comes.
constexpr std::size_t kMostInside = 1 << 18;
constexpr std::size_t kMostFrames = 1000;  // frames in each other
constexpr std::size_t kMostTogether = 64;  // kernels of a stream that start at one instant

constexpr const char* kInside = "slices inside of others of their thread";
constexpr const char* kInCall = "operators inside of a collective's call";
constexpr const char* kAround = "operators around a collective's call, counted by the operators inside of them";
constexpr const char* kOverlap = "slices that overlap another one of their thread";
constexpr const char* kClipped = "kernels cut where the next one of their stream begins";

}  // namespace

void ThreadFrames::add(Slice slice, Frame frame) {
    Thread& thread = threads_[slice.track];
    if (frame == Frame::Kernel) return addKernel(thread, slice);
    if (frame == Frame::Work && thread.computes) return noteCall(thread, slice);
    if (frame != Frame::Work && thread.open.empty()) thread.computes = true;
    if (frame == Frame::Work) frame = Frame::Call;
    enter(thread, slice, frame);
    if (!thread.open.empty() && thread.open.back().frame == Frame::Call) {
        if (frame != Frame::Call) ++leftOut_[kInCall];
        return;
    }
    const bool covered = thread.open.empty() && slice.end <= thread.coveredUntil;
    if (frame != Frame::Call && (covered || thread.open.size() >= kMostFrames)) return void(++leftOut_[kInside]);
    thread.open.push_back({.slice = slice, .frame = frame, .hasCall = false, .inside = {}, .calls = {}});
}

void ThreadFrames::enter(Thread& thread, Slice& slice, Frame frame) {
    while (!thread.open.empty() && thread.open.back().slice.end <= slice.start) close(thread);
    if (!thread.open.empty() && slice.end > thread.open.back().slice.end) {
        if (slice.end - thread.open.back().slice.end <= kRounding) slice.end = thread.open.back().slice.end;
    }
    // A call counts as inside of all that is open where it begins, even if it outlasts that.
    if (frame == Frame::Call) {
        for (Open& one : thread.open) {
            one.hasCall = true;
            if (one.frame == Frame::Compiled) one.calls.emplace_back(slice.start, slice.end);
        }
    }
    bool overlaps = false;
    while (!thread.open.empty() && thread.open.back().slice.end < slice.end) {
        overlaps = true;
        if (thread.open.back().frame == Frame::Call) slice.start = thread.open.back().slice.end;
        close(thread);
    }
    if (overlaps) ++remarks_[kOverlap];
}

void ThreadFrames::noteCall(Thread& thread, const Slice& call) {
    while (!thread.open.empty() && thread.open.back().slice.end <= call.start) close(thread);
    for (Open& one : thread.open) {
        if (one.slice.end < call.end) continue;
        one.hasCall = true;
        if (one.frame == Frame::Compiled) one.calls.emplace_back(call.start, call.end);
    }
}

void ThreadFrames::close(Thread& thread) {
    const Open closed = std::move(thread.open.back());
    thread.open.pop_back();
    if (closed.frame == Frame::Call) return;
    if (!closed.hasCall) {
        if (!closed.inside.empty()) leftOut_[kInside] += static_cast<std::int64_t>(closed.inside.size());
        return count(thread, closed.slice);
    }
    if (closed.frame == Frame::Compiled) return giveOnBetween(closed);
    ++leftOut_[kAround];
    for (const Slice& slice : closed.inside) take_(slice);
}

void ThreadFrames::count(Thread& thread, const Slice& slice) {
    if (thread.open.empty()) {
        thread.coveredUntil = std::max(thread.coveredUntil, slice.end);
        return take_(slice);
    }
    Open& around = thread.open.back();
    if (around.frame == Frame::Compiled) return void(++leftOut_[kInside]);
    if (around.inside.size() >= kMostInside) around.hasCall = true;
    if (around.hasCall) return take_(slice);
    around.inside.push_back(slice);
}

void ThreadFrames::giveOnBetween(const Open& compiled) {
    Slice part = compiled.slice;
    for (const auto& [start, end] : compiled.calls) {
        part.end = std::min(start, compiled.slice.end);
        if (part.end > part.start) take_(part);
        part.start = std::max(part.start, end);
    }
    part.end = compiled.slice.end;
    if (part.end > part.start) take_(part);
}

void ThreadFrames::addKernel(Thread& thread, const Slice& kernel) {
    const bool together = !thread.kernels.empty() && thread.kernels.front().start == kernel.start &&
                          thread.kernels.size() < kMostTogether;
    if (!together) {
        for (Slice& before : thread.kernels) {
            if (before.end - kernel.start > kRounding) ++remarks_[kClipped];
            before.end = std::min(before.end, kernel.start);
            take_(before);
        }
        thread.kernels.clear();
    }
    thread.kernels.push_back(kernel);
}

void ThreadFrames::finish() {
    for (Thread& thread : threads_) {
        while (!thread.open.empty()) close(thread);
        for (const Slice& kernel : thread.kernels) take_(kernel);
        thread.kernels.clear();
    }
}

}  // namespace dasgd::experiments
