#include "core/train/checkpoint/checkpoint_times.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

// First step at which ranks meet: so many steps tell how long one takes.
constexpr std::int64_t kFirstMeeting = 10;
// A checkpoint is made at this meeting where at least so much of the interval has passed, as it would be due before the
// next one.
constexpr double kAlmost = 0.95;

double secondsBetween(HostTime from, HostTime to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

bool CheckpointDecisions::due(std::int64_t step) {
    const auto [entry, first] = asked_.try_emplace(step);
    Asked& asked = entry->second;
    if (first) {
        const HostTime now = now_();
        asked.due = now - last_ >= std::chrono::nanoseconds(every_);
        if (asked.due) last_ = now;
    }
    const bool due = asked.due;
    if (++asked.times == ranks_) asked_.erase(entry);
    return due;
}

CheckpointTimes::CheckpointTimes(CheckpointInterval interval, std::int64_t from, CheckpointDecisions* decisions,
                                 HostClock now)
    : interval_(interval),
      from_(from),
      decisions_(decisions),
      now_(std::move(now)),
      begun_(now_()),
      last_(begun_),
      nextMeeting_(from + kFirstMeeting) {}

bool CheckpointTimes::isAgreementDue(std::int64_t step) const {
    if (step <= from_) return false;
    if (interval_.steps > 0) return step % interval_.steps == 0;
    if (interval_.time == 0) return false;
    return decisions_ || step == nextMeeting_;
}

bool CheckpointTimes::agree(Communicator& comm, std::int64_t step) {
    if (interval_.steps > 0) return true;
    if (decisions_) return decisions_->due(step);
    const double every = static_cast<double>(interval_.time) * 1e-9;
    const HostTime now = now_();
    const double elapsed = secondsBetween(last_, now);
    const double stepTime = secondsBetween(begun_, now) / static_cast<double>(step - from_);
    const bool due = elapsed >= kAlmost * every;
    // The next meeting is at most twice as far ahead as this one: the first steps may be slower or faster than later
    // ones.
    const double left = due ? every : every - elapsed;
    const double ahead = std::clamp(left / std::max(stepTime, 1e-9), 1.0, static_cast<double>(step - from_));
    at::Tensor word = torch::tensor({due ? 1.0 : 0.0, static_cast<double>(step) + std::floor(ahead)}, torch::kFloat64);
    Pending told = comm.broadcast(word, Rank{0});
    told.wait();
    nextMeeting_ = static_cast<std::int64_t>(word[1].item<double>());
    const bool agreed = word[0].item<double>() != 0;
    if (agreed) last_ = now;
    return agreed;
}

}  // namespace dasgd
