#include "core/exec/clean_windows.h"

#include <utility>

namespace dasgd {

void CleanWindows::waited(std::int64_t launchedAt) {
    options_.waits = true;
    if (launchedAt > disturbedAt_) {
        clean_ = true;
    } else {
        // The operation may have ended during the disturbance: this wait was too short, whatever was awaited before it.
        end();
        clean_ = false;
    }
}

void CleanWindows::disturb(std::int64_t step) {
    end();
    disturbedAt_ = step;
    clean_ = false;
}

void CleanWindows::stepDone(std::int64_t step, Ns now) {
    const bool boundary = std::exchange(clean_, false) || !options_.waits;
    if (!boundary || step < options_.warmUpSteps) return;
    newest_ = {step, now};
    if (!from_) {
        from_ = newest_;
    } else if (isLong()) {
        cut();
    }
}

bool CleanWindows::isLong() const {
    const std::int64_t steps = newest_.step - from_->step;
    if (steps >= options_.mostSteps) return true;
    return newest_.at - from_->at >= options_.shortestPart && steps >= options_.fewestSteps;
}

void CleanWindows::end() {
    if (from_ && newest_.step > from_->step) cut();
    from_.reset();
}

void CleanWindows::cut() {
    parts_.push_back({{from_->at, newest_.at}, newest_.step - from_->step, newest_.step});
    from_ = newest_;
}

std::vector<CleanWindow> CleanWindows::take() { return std::exchange(parts_, {}); }

}  // namespace dasgd
