// Starts, watches and ends the worker processes of one run on this host together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/control.h"
#include "core/base/event.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

// The final report of a worker about one of its ranks: a line of JSON on its report pipe.
struct RankReport {
    int rank = 0;
    RankState state = RankState::Failed;
    std::int64_t step = 0;
    std::string error;
    Ns at = 0;  // raw monotonic clock: of several failures the first is the cause
};
[[nodiscard]] std::string toLine(const RankReport& report);
[[nodiscard]] std::vector<RankReport> reportsFrom(const std::string& lines);

// How a group ended; where it failed, one sentence that names the rank. Where it did not, what a rank could not write
// of its result, or "".
struct ProcessesOutcome {
    RankState state = RankState::Finished;  // Finished, Stopped or Failed
    std::string error;
    bool died = false;  // failed because a process ended without a word: killed, or crashed
};

// Owner: one thread, which must outlive the processes: the kernel ends them with the thread that started them.
class RankProcesses {
public:
    struct WorkerProcess {
        std::vector<int> ranks;  // one, or all of them where ranks are threads
        ChildProcess process;
        std::optional<ProcessExit> exit;
        Ns endedAt = 0;
        bool killedByUs = false;
    };
    // How long ranks that were asked to stop may take; with `fromLastStep` from the last step that any of them
    // completed, as one step of each of thousands that share a thread takes its time.
    struct Patience {
        Ns time = 0;
        bool fromLastStep = false;
    };
    // `control` outlives the group.
    RankProcesses(RunControl& control, Patience patience) : control_(control), patience_(patience) {}

    // Errors: the process does not start; those started before it are killed by the destructor.
    Status add(std::vector<int> ranks, const ChildProcess::Options& options);

    // Waits until a process ends, `wakeFd` is readable or `timeout` is over; then does what is due: after a rank's
    // failure the others are asked to stop, then terminated, then killed.
    void wait(Ns timeout, int wakeFd);
    [[nodiscard]] bool running() const;

    void requestStop();  // all ranks stop at one step
    void kill();         // at once

    [[nodiscard]] std::int64_t completedByAll() const;  // steps
    [[nodiscard]] const std::vector<WorkerProcess>& processes() const { return processes_; }
    // After running() is false.
    [[nodiscard]] ProcessesOutcome outcome();

private:
    void reap();
    void escalate(Ns now);
    [[nodiscard]] std::int64_t stepsOfAll() const;
    void signalAll(int number);
    void lost(const WorkerProcess& process);

    RunControl& control_;
    Patience patience_;
    std::vector<WorkerProcess> processes_;
    std::optional<Ns> failedAt_;
    std::optional<Ns> stopAskedAt_;    // instant of the request to stop, or of the last step completed since
    std::int64_t stepsWhenAsked_ = 0;  // steps completed by all ranks together at that instant
    std::optional<Ns> killedAt_;
    bool terminated_ = false;
    bool gaveUp_ = false;
};

}  // namespace dasgd::experiments
