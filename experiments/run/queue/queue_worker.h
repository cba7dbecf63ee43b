// Works the queue of a workspace: starts the runs that wait there, each in a process of its own, and settles every
// entry whose process has ended (settle.h). One worker per workspace.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/base/process.h"
#include "experiments/base/stop_signals.h"
#include "experiments/run/queue/settle.h"
#include "experiments/run/queue/slots.h"
#include "storage/queue/queue.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

// Options of `dasgd queue work`.
struct WorkOptions {
    std::filesystem::path workspace;  // absolute path
    int atOnce = 1;                   // number of runs that train at a time
    // Numbers of cores and GPUs of this machine that runs may use; nullopt: all that this process may use.
    std::optional<int> cores, gpus;
    bool untilEmpty = false;  // end when no run is left that may start; in a paused queue no run may
};

// Functions that the worker calls, in its thread.
struct WorkListener {
    // The process of a run was started. `seats.cpus` is empty where it may use all CPUs that the worker may use.
    std::function<void(const std::string& run, const Needs& needs, const Slots::Seats& seats)> started;
    // An entry was settled. `row`: the record of its run.
    std::function<void(const storage::RunRow& row, const EntryOutcome& settled)> ended;
    // A line of text for the person at the terminal.
    std::function<void(const std::string& text)> said;
};

// Owner: the main thread, because the kernel ends the processes of the runs with the thread that started them.
class QueueWorker {
public:
    enum class End {
        Empty,   // nothing is left that may start (WorkOptions::untilEmpty)
        Stopped  // a signal came
    };

    // Takes the lock of the queue. nullptr where another process works the queue. Errors: the workspace cannot be
    // opened, or the machine has fewer cores or GPUs than `options` name.
    static Result<std::unique_ptr<QueueWorker>> open(const WorkOptions& options, StopSignals& signals,
                                                     WorkListener listener);
    // Works until a signal comes, or, with `untilEmpty`, until nothing is left that may start. At the first signal the
    // runs stop at a step, save checkpoints and stay in the queue; a second Ctrl-C kills them. Errors of the database
    // are passed to WorkListener::said, and the worker tries again. Errors: the file of the database has been missing
    // or replaced for 2 s; nothing can be recorded then, and the runs end with the worker.
    Result<End> work();
    // True where a run has failed for good.
    [[nodiscard]] bool anyFailed() const { return failed_; }

private:
    using Entries = std::vector<storage::QueueEntry>;
    struct Running {
        ChildProcess process;
        Needs needs;
    };

    QueueWorker(const WorkOptions& options, StopSignals& signals, WorkListener listener, Machine machine)
        : options_(options),
          signals_(signals),
          listener_(std::move(listener)),
          machine_(std::move(machine)),
          slots_(machine_, options.atOnce) {}

    // Looks for the file of the database. False: it is missing or replaced, for less than 2 s. Errors: it has been so
    // for longer.
    Result<bool> isFileThere();
    // Settles the entries whose processes have ended, and starts runs.
    Status look();
    Status settleEnded(const storage::Queue& queue);
    Status settleEntry(const storage::QueueEntry& entry, EndCause cause);
    // Entries that are recorded as running and were not started by this worker: a worker that died started them.
    [[nodiscard]] Entries leftOver(const storage::Queue& queue) const;
    // Starts runs that wait, as long as there are slots, cores and GPUs for them.
    Status start(const storage::Queue& queue);
    // Needs of the runs that other commands train in the workspace.
    Result<std::vector<Needs>> foreignNeeds();
    Status startRun(const Slots::Waiting& run);
    // Passes signals on to the runs.
    void attendSignals();
    // Moves runs whose processes have ended from running_ to ended_.
    void reap();
    // Releases the lock of the queue. True where the worker may end: nothing is left, or another process works the
    // queue now. False where something to start was added meanwhile; the lock is held again then.
    [[nodiscard]] Result<bool> leave();
    [[nodiscard]] bool stopping() { return signals_.count() > 0; }
    // True where no run is under way or to be settled, and none may start.
    [[nodiscard]] bool nothingLeft(const storage::Queue& queue) const;
    // Waits for a signal, the end of a run's process, or the next look at the queue.
    void wait();

    WorkOptions options_;
    StopSignals& signals_;
    WorkListener listener_;
    Machine machine_;
    Slots slots_;
    storage::FileLock lock_;
    std::optional<storage::QueueStore> queue_;
    std::optional<storage::RunReader> reader_;
    // The maps have the ids of runs as keys.
    std::map<std::string, Running> running_;  // runs whose processes this worker started
    std::map<std::string, EndCause> ended_;   // runs whose processes have ended and whose entries are not settled yet
    std::map<std::string, std::chrono::steady_clock::time_point> notBefore_;  // earliest next start of a refused run
    std::map<std::string, Needs> foreign_;                                    // needs of the runs of other commands
    bool stopSent_ = false;  // the first signal was passed on to the runs
    bool empty_ = false;     // answer of nothingLeft() at the last look, with `untilEmpty`
    bool failed_ = false;
    std::string problem_;   // error of the last look, "" without one
    std::string waitsFor_;  // run of which it was said last that it waits for other commands
    std::optional<std::chrono::steady_clock::time_point> missingSince_;  // first look that did not find the database
};

}  // namespace dasgd::experiments
