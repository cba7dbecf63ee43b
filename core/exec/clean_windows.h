// Finds the clean windows of a run: stretches whose time is the algorithm's alone. A disturbance (an evaluation, a
// checkpoint, the start or the end of profiling, a profiled step) is not timed, but a collective in flight can finish
// during it, so that the steps after it would be charged too little. Stretches that were disturbed are left out:
//
// A clean boundary is the end of a step in which a wait returned for an operation that was launched after the last
// disturbance. A clean window runs from one clean boundary to a later one without a
// disturbance between them: whole rounds, from wait to wait, every one of whose operations had to run beside training.
// An algorithm that never waits has no rounds: every end of a step is a clean boundary. The warm-up is before any
// window. A run may have no clean window; then it is not timed.
//
// Plain numbers: no torch, no clock of its own. Owner: the training thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/time_range.h"

namespace dasgd {

// A part of a clean window, from clean boundary to clean boundary. Parts of one window touch.
struct CleanWindow {
    TimeRange time;
    std::int64_t steps = 0;     // made in it
    std::int64_t lastStep = 0;  // the step that it ends with
    [[nodiscard]] Ns length() const { return time.end - time.start; }
};

struct CleanWindowOptions {
    bool waits = true;             // false: an algorithm that never waits
    std::int64_t warmUpSteps = 0;  // no boundary before the end of this step
    // A long window is cut into parts that touch: no shorter than `shortestPart` and of no fewer than `fewestSteps`
    // steps, but for its last; at the latest at the first clean boundary after `mostSteps` steps.
    Ns shortestPart = 0;
    std::int64_t fewestSteps = 1;
    std::int64_t mostSteps = 256;
};

class CleanWindows {
public:
    explicit CleanWindows(const CleanWindowOptions& options) : options_(options) {}

    // Called when a wait returned for an operation that was launched at step `launchedAt`.
    void waited(std::int64_t launchedAt);
    // Ends the window. Called when a disturbance begins after `step` completed steps.
    void disturb(std::int64_t step);
    // Called when `step` steps are complete.
    void stepDone(std::int64_t step, Ns now);
    // Called when the run is over. Ends the window.
    void end();

    // The parts completed since the last call, in order.
    [[nodiscard]] std::vector<CleanWindow> take();

private:
    struct Boundary {
        std::int64_t step = 0;
        Ns at = 0;
    };
    [[nodiscard]] bool isLong() const;
    void cut();

    CleanWindowOptions options_;
    std::int64_t disturbedAt_ = -1;
    bool clean_ = false;            // a wait in the present step makes its end a clean boundary
    std::optional<Boundary> from_;  // start of the part under way
    Boundary newest_;
    std::vector<CleanWindow> parts_;
};

}  // namespace dasgd
