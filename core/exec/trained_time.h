// Time for which a rank has trained: the time that passed less the pauses (evaluations, checkpoints, the start and the
// end of profiling). Without a correction the number would flatter: operations in flight went on during a pause, so
// waits for them were too short. The time by which such a wait would have been longer without the pause counts as
// training.
//
// Plain numbers: no torch, no clock of its own. Owner: the training thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"

namespace dasgd {

class TrainedTime {
public:
    // From `now`, after `step` completed steps, until resume() the rank does not train. The first pause comes before
    // training, which begins as it ends.
    void pause(std::int64_t step, Ns now);
    void resume(Ns now);

    // True where an operation launched at that step may have gone on during a pause.
    [[nodiscard]] bool wasPausedSince(std::int64_t launchedAt) const {
        return !pauses_.empty() && launchedAt <= pauses_.back().step;
    }
    // Called when a wait for such an operation, which ended at `ended`, returned at `returned`; in the order of the
    // waits. Without the pauses the operation would have ended as much later in the rank's own time as they lasted.
    void awaited(std::int64_t launchedAt, Ns ended, Ns returned);

    // Trained time by an instant at which the rank trains, or at which a pause begins; 0 before training begins.
    [[nodiscard]] Ns until(Ns now) const { return begun_ ? now - *begun_ - paused_ : 0; }

private:
    struct Pause {
        std::int64_t step = 0;
        Ns length = 0;  // without the part found to be hidden by it
    };

    std::optional<Ns> begun_;
    std::int64_t pausedStep_ = 0;
    Ns pausedAt_ = 0;
    std::vector<Pause> pauses_;  // by step
    Ns paused_ = 0;              // sum of their lengths
};

}  // namespace dasgd
