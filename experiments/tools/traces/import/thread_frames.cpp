#include "experiments/tools/traces/import/thread_frames.h"

#include <algorithm>
#include <utility>

namespace dasgd::experiments {

namespace {

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
    if (frame == Frame::Work && computing_[slice.track]) return addWork(thread, slice);
    if (frame == Frame::Work) frame = Frame::Call;
    enter(thread, slice, frame);
    if (!thread.open.empty() && thread.open.back().frame == Frame::Call) {
        if (frame != Frame::Call) ++leftOut_[kInCall];
        return;
    }
    const bool covered = thread.open.empty() && slice.end <= thread.coveredUntil;
    if (frame != Frame::Call && (covered || thread.open.size() >= kMostFrames)) return void(++leftOut_[kInside]);
    if (frame == Frame::Compiled && thread.compiled == kNone) {
        thread.compiled = thread.open.size();
        thread.compiledFrom = slice.start;
        thread.hasFrames = false;
    }
    thread.open.push_back({.slice = slice, .frame = frame, .hasCall = false, .inside = {}});
}

void ThreadFrames::enter(Thread& thread, Slice& slice, Frame frame) {
    while (!thread.open.empty() && thread.open.back().slice.end <= slice.start) close(thread);
    if (!thread.open.empty() && slice.end > thread.open.back().slice.end) {
        if (slice.end - thread.open.back().slice.end <= kRounding) slice.end = thread.open.back().slice.end;
    }
    // A call counts as inside of all that is open where it begins, even if it outlasts that.
    if (frame == Frame::Call) {
        splitAround(thread, thread.open.size());
        if (thread.compiled != kNone) {
            if (!std::exchange(thread.hasFrames, true)) {
                held_ -= thread.works.size();
                thread.works.clear();
            }
            cutOut(thread, thread.open[thread.compiled].slice, slice.start, slice.end);
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

void ThreadFrames::splitAround(Thread& thread, std::size_t depth) {
    while (depth > 0 && !thread.open[depth - 1].hasCall) {
        Open& around = thread.open[--depth];
        around.hasCall = true;
        for (const Slice& slice : around.inside) take_(slice);
        held_ -= around.inside.size();
        around.inside = {};
    }
}

void ThreadFrames::addWork(Thread& thread, const Slice& work) {
    while (!thread.open.empty() && thread.open.back().slice.end <= work.start) close(thread);
    std::size_t depth = thread.open.size();
    while (depth > 0 && thread.open[depth - 1].slice.end < work.end) --depth;
    splitAround(thread, depth);
    if (thread.compiled >= depth || thread.hasFrames) return;
    const Slice& compiled = thread.open[thread.compiled].slice;
    if (!thread.works.empty() && work.start <= thread.works.back().second) {
        thread.works.back().second = std::max(thread.works.back().second, work.end);
        return;
    }
    ++held_;
    thread.works.emplace_back(work.start, work.end);
    if (held_ > kMostHeld) cutOutWorks(thread, compiled);
}

void ThreadFrames::close(Thread& thread) {
    const Open closed = std::move(thread.open.back());
    thread.open.pop_back();
    if (closed.frame == Frame::Call) return;
    if (thread.open.size() == thread.compiled) return closeCompiled(thread, closed);
    if (!closed.hasCall) {
        if (!closed.inside.empty()) leftOut_[kInside] += static_cast<std::int64_t>(closed.inside.size());
        held_ -= closed.inside.size();
        return count(thread, closed.slice);
    }
    ++leftOut_[closed.frame == Frame::Compiled ? kInside : kAround];
}

void ThreadFrames::count(Thread& thread, const Slice& slice) {
    if (thread.open.empty()) {
        thread.coveredUntil = std::max(thread.coveredUntil, slice.end);
        return take_(slice);
    }
    if (thread.compiled != kNone) return void(++leftOut_[kInside]);
    Open& around = thread.open.back();
    if (held_ >= kMostHeld) splitAround(thread, thread.open.size());
    if (around.hasCall) return take_(slice);
    around.inside.push_back(slice);
    ++held_;
}

void ThreadFrames::cutOut(Thread& thread, const Slice& compiled, Ns from, Ns to) {
    Slice part = compiled;
    part.start = thread.compiledFrom;
    part.end = std::min(from, compiled.end);
    if (part.end > part.start) take_(part);
    thread.compiledFrom = std::max(thread.compiledFrom, to);
}

void ThreadFrames::cutOutWorks(Thread& thread, const Slice& compiled) {
    for (const auto& [start, end] : thread.works) cutOut(thread, compiled, start, end);
    held_ -= thread.works.size();
    thread.works.clear();
}

void ThreadFrames::closeCompiled(Thread& thread, const Open& compiled) {
    thread.compiled = kNone;
    if (!compiled.hasCall) return count(thread, compiled.slice);
    cutOutWorks(thread, compiled.slice);
    cutOut(thread, compiled.slice, compiled.slice.end, compiled.slice.end);
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
