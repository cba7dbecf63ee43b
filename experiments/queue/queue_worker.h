// Works the workspace's queue: starts the runs that wait there, each in a process of its own, and brings every entry to
// its end. One worker a workspace.
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
#include "experiments/queue/settle.h"
#include "experiments/queue/slots.h"
#include "storage/queue.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

struct WorkOptions {
    std::filesystem::path workspace;  // absolute
    int atOnce = 1;                   // runs
    std::optional<int> cores, gpus;   // of this machine; nothing: all that this process may use
    bool untilEmpty = false;          // end when nothing is left that may start
};

// Events of the worker, called in its thread.
struct WorkListener {
    // `seats.cpus` is empty where it may use all that the worker may.
    std::function<void(const std::string& run, const Needs& needs, const Slots::Seats& seats)> started;
    // The run of an entry has ended; `row` as it is recorded.
    std::function<void(const storage::RunRow& row, const Settled& settled)> ended;
    std::function<void(const std::string& text)> said;  // a line for people
};

// Owner: main's thread, for its whole life: the processes of the runs end with it.
class QueueWorker {
public:
    enum class End { Empty, Stopped };

    // nullptr where another process works the queue. Errors: of the workspace; the machine has less than was asked for.
    static Result<std::unique_ptr<QueueWorker>> open(const WorkOptions& options, StopSignals& signals,
                                                     WorkListener listener);
    // Until a signal comes, or, where that was asked for, nothing is left that may start. At a signal all runs stop at
    // a step of theirs, leave checkpoints and stay in the queue; a second Ctrl-C ends them at once. What goes wrong
    // with the workspace meanwhile is said, and tried again. Errors: the workspace was removed, or another one is in
    // its place; nothing can be recorded then, and the runs end with the worker.
    Result<End> work();
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

    Status look();
    Status settleEnded(const storage::Queue& queue);
    Status settleEntry(const storage::QueueEntry& entry, EndCause cause);
    // Entries that a process runs which is none of ours.
    [[nodiscard]] Entries leftOver(const storage::Queue& queue) const;
    Status start(const storage::Queue& queue);
    Result<std::vector<Needs>> foreignNeeds();
    Status startRun(const Slots::Waiting& run);
    void attendSignals();
    void reap();
    // Releases the lock; false where there is something to start again after all.
    [[nodiscard]] Result<bool> leave();
    [[nodiscard]] bool stopping() { return signals_.count() > 0; }
    [[nodiscard]] bool nothingLeft(const storage::Queue& queue) const;
    void wait();

    WorkOptions options_;
    StopSignals& signals_;
    WorkListener listener_;
    Machine machine_;
    Slots slots_;
    storage::FileLock lock_;
    std::optional<storage::QueueStore> queue_;
    std::optional<storage::RunReader> reader_;
    std::map<std::string, Running> running_;  // by run
    std::map<std::string, EndCause> ended_;   // whose process has ended, not settled yet
    std::map<std::string, std::chrono::steady_clock::time_point> notBefore_;
    std::map<std::string, Needs> foreign_;  // runs of other commands
    bool stopSent_ = false, empty_ = false, failed_ = false;
    std::string problem_, waitsFor_;
    int missed_ = 0;  // looks at the workspace's file, one after the other, that did not find it
};

}  // namespace dasgd::experiments
