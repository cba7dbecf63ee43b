#include "core/exec/trained_time.h"

#include <algorithm>

namespace dasgd {

void TrainedTime::pause(std::int64_t step, Ns now) {
    pausedStep_ = step;
    pausedAt_ = now;
}

void TrainedTime::resume(Ns now) {
    if (!begun_) {
        begun_ = now;
        return;
    }
    pauses_.push_back({pausedStep_, now - pausedAt_});
    paused_ += pauses_.back().length;
}

void TrainedTime::awaited(std::int64_t launchedAt, Ns ended, Ns returned) {
    Ns between = 0;
    for (auto pause = pauses_.rbegin(); pause != pauses_.rend() && launchedAt <= pause->step; ++pause) {
        between += pause->length;
    }
    Ns hidden = between - (returned - ended);
    // The wait that is added comes after all pauses: operations launched later gain by it too.
    for (auto pause = pauses_.rbegin(); pause != pauses_.rend() && hidden > 0; ++pause) {
        const Ns paid = std::min(hidden, pause->length);
        pause->length -= paid;
        paused_ -= paid;
        hidden -= paid;
    }
}

}  // namespace dasgd
