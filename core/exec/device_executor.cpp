#include "core/exec/device_executor.h"

#include <algorithm>
#include <utility>

namespace dasgd {

namespace {

constexpr Ns kPollOperationsEvery = 100'000;
// Age up to which the last mark is used again: a new mark would lie at most this much later, about as long as it takes
// to record two.
constexpr Ns kJustNow = 3'000;

}  // namespace

Ns DeviceExecutor::instant() {
    // Read before recording: where the host is held up in the call, the mark does not count as recent.
    markedAt_ = host_.now();
    marks_.push_back({.event = compute_.device.record(compute_.stream)});
    return newestMark();
}

Ns DeviceExecutor::startInstant() {
    return marks_.empty() || host_.now() - markedAt_ > kJustNow ? instant() : newestMark();
}

void DeviceExecutor::completed(const Span& work) {
    if (level() != TraceLevel::Off) entries_.emplace_back(work);
}

void DeviceExecutor::happened(const Milestone& milestone) {
    using Kind = Milestone::Kind;
    Milestone kept = milestone;
    if (kept.kind == Kind::Disturbed || kept.kind == Kind::Resumed) {
        if (kept.kind == Kind::Disturbed) catchUp();
        kept.at = host_.now();
        apply(kept);
        return;
    }
    // The host is ahead of the device: the step ends when the device has made it.
    if (kept.kind == Kind::StepDone) kept.at = instant();
    if (kept.kind == Kind::TrainingDone) trainingDone_ = true;
    entries_.emplace_back(kept);
}

Ns DeviceExecutor::hold() {
    held_.emplace(++newestHeld_, compute_.device.record(compute_.stream));
    return newestHeld_;
}

std::optional<Ns> DeviceExecutor::held(Ns number) {
    const auto found = held_.find(number);
    const std::optional<Ns> at = compute_.times.instantIfPassed(found->second);
    if (at) held_.erase(found);
    return at;
}

void DeviceExecutor::flush() {
    compute_.times.refresh();
    if (trainingDone_) catchUp();
    settleEntries();
    dropMarks();
    Executor::flush();
    if (trainingDone_) awaitOperations();
}

void DeviceExecutor::catchUp() {
    compute_.device.await(compute_.device.record(compute_.stream), compute_.deadline, host_);
    settleEntries();
}

// Waits for operations, which another thread ends soon after their events have passed.
void DeviceExecutor::awaitOperations() {
    const Ns last = host_.now() + std::chrono::nanoseconds(compute_.deadline).count();
    while (hasUnendedOperations() && host_.now() < last) {
        host_.sleepUntil(host_.now() + kPollOperationsEvery);
        Executor::flush();
    }
}

void DeviceExecutor::settleEntries() {
    while (!entries_.empty() && std::visit([this](const auto& entry) { return settle(entry); }, entries_.front())) {
        entries_.pop_front();
    }
}

std::optional<Ns> DeviceExecutor::known(Ns number) {
    Mark& mark = marks_.at(static_cast<std::size_t>(number - firstMark_));
    if (!mark.at) {
        mark.at = compute_.times.instantIfPassed(mark.event);
        if (mark.at) mark.event = {};
    }
    return mark.at;
}

bool DeviceExecutor::settle(Span span) {
    const std::optional<Ns> end = known(span.end);
    if (!end) return false;
    span.start = known(span.start).value();
    // Between the two the reference of the device's clock may have been renewed.
    span.end = std::max(span.start, *end);
    add(span);
    return true;
}

bool DeviceExecutor::settle(Milestone milestone) {
    if (milestone.kind == Milestone::Kind::StepDone) {
        const std::optional<Ns> at = known(milestone.at);
        if (!at) return false;
        milestone.at = *at;
    }
    apply(milestone);
    return true;
}

void DeviceExecutor::dropMarks() {
    // Work under way still needs the mark of its start.
    if (!isIdle()) return;
    Ns needed = firstMark_ + static_cast<Ns>(marks_.size());
    for (const Entry& entry : entries_) {
        if (const Span* span = std::get_if<Span>(&entry)) {
            needed = std::min(needed, span->start);
        } else if (const auto& milestone = std::get<Milestone>(entry); milestone.kind == Milestone::Kind::StepDone) {
            needed = std::min(needed, milestone.at);
        }
    }
    while (firstMark_ < needed) {
        marks_.pop_front();
        ++firstMark_;
    }
}

}  // namespace dasgd
