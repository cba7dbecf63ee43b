#include "experiments/tools/traces/import/thread_survey.h"

#include <algorithm>
#include <set>

namespace dasgd::experiments {

namespace {

// One work in so many crosses an operator where a thread computes. A library's thread has none, unless an end is wrong.
constexpr std::int64_t kCrossedOneIn = 4;

}  // namespace

void ThreadSurvey::Cover::add(const Slice& slice) {
    total += std::max<Ns>(0, slice.end - std::max(slice.start, until));
    until = std::max(until, slice.end);
}

bool ThreadSurvey::Thread::computes() const {
    return calls || crossed * kCrossedOneIn > works || outside.total > inside.total;
}

void ThreadSurvey::cross(Thread& thread) {
    if (thread.lastCrossed != thread.works) ++thread.crossed;
    thread.lastCrossed = thread.works;
}

void ThreadSurvey::add(const Slice& slice, ThreadFrames::Frame frame) {
    using Frame = ThreadFrames::Frame;
    if (frame == Frame::Kernel) return;
    Thread& thread = threads_[slice.track];
    if (frame == Frame::Work) {
        ++thread.works;
        const Ns until = thread.outside.until;
        if (until > slice.start && until - slice.start > ThreadFrames::kRounding) cross(thread);
        thread.workUntil = std::max(thread.workUntil, slice.end);
        return;
    }
    if (slice.start >= thread.workUntil) {
        thread.outside.add(slice);
        thread.calls = thread.calls || frame == Frame::Call;
        return;
    }
    if (slice.end > thread.workUntil && slice.end - thread.workUntil > ThreadFrames::kRounding) cross(thread);
    thread.inside.add(slice);
}

std::vector<bool> ThreadSurvey::computing() const {
    std::vector<bool> computes(threads_.size());
    std::set<std::uint32_t> known;  // processes in which a thread computes
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        computes[i] = threads_[i].computes();
        if (computes[i]) known.insert(processes_[i]);
    }
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (!known.contains(processes_[i])) computes[i] = threads_[i].outside.total > 0;
    }
    return computes;
}

}  // namespace dasgd::experiments
