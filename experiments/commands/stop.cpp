// `dasgd stop`: requests through the shared page that all ranks of a run stop at one step.
#include <sys/file.h>

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/base/control.h"
#include "experiments/base/process.h"
#include "experiments/commands/command.h"
#include "experiments/transport/mirror/remote.h"
#include "storage/queue/queue.h"
#include "storage/read/run_reader.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

namespace {

struct StopOptions {
    std::vector<std::string> runs;
    std::string workspace;
};

// Whoever collects a run holds a lock on its owner file.
bool hasOwner(const std::filesystem::path& ownerFile) {
    const Descriptor file(::open(ownerFile.c_str(), O_RDONLY | O_CLOEXEC));
    return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

struct Stoppable {
    std::string id;
    bool waits = false;           // has not been started
    bool inQueue = false;         // of the workspace: belongs to no process while it waits
    std::string origin, program;  // of one from another workspace
};

Result<Stoppable> find(const StopOptions& options, const std::string& run) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(const storage::RunDetail detail, reader.detail(run));
    const std::string& id = detail.row.runId;
    if (detail.row.inQueue) return Stoppable{.id = id, .waits = detail.row.status != "running", .inQueue = true};
    if (detail.row.status != "running" && detail.row.status != "queued") {
        return fail(id + " is " + detail.row.status + ", there is nothing to stop");
    }
    const bool waits = detail.row.status == "queued";
    if (!detail.row.origin.empty()) {
        return Stoppable{.id = id, .waits = waits, .origin = detail.row.origin, .program = detail.row.originProgram};
    }
    if (!hasOwner(storage::WorkspacePaths{options.workspace}.owner(id))) {
        return fail(id +
                    " runs no more: its launcher died. The next `dasgd run` in this workspace takes in its records");
    }
    return Stoppable{.id = id, .waits = waits};
}

// An entry of the queue is to go on no more, whoever has it or comes to have it; then its run is stopped, if it runs.
Status takeOutOfQueue(const StopOptions& options, const Stoppable& run) {
    DASGD_ASSIGN(auto queue, storage::QueueStore::open(options.workspace));
    DASGD_ASSIGN(const auto done, queue.cancel(run.id));
    if (done == storage::QueueStore::Cancelled::Marked) {
        // A process that has not made the page yet looks whether the run was taken out.
        auto control = RunControl::open(storage::WorkspacePaths{options.workspace}.control(run.id));
        if (control) control->requestStop();
    }
    std::printf(run.waits ? "%s is taken out of the queue\n" : "%s stops at its next step, and leaves the queue\n",
                run.id.c_str());
    return {};
}

Status requestStop(const StopOptions& options, const Stoppable& run) {
    if (run.inQueue) return takeOutOfQueue(options, run);
    DASGD_ASSIGN(RunControl control, RunControl::open(storage::WorkspacePaths{options.workspace}.control(run.id)));
    control.requestStop();
    std::printf(run.waits ? "%s is taken out of the queue\n" : "%s stops at its next step\n", run.id.c_str());
    return {};
}

// There it says itself what comes of it.
int stopThere(const Stoppable& run) {
    const auto told = runAtOrigin(run.origin, run.program, {"stop", run.id});
    return told ? *told : refuse({run.id + ": " + told.error().message});
}

int stop(const StopOptions& options) {
    int exit = kFinished;
    std::vector<Stoppable> runs;
    for (const std::string& name : options.runs) {
        auto run = find(options, name);
        if (run) {
            runs.push_back(std::move(*run));
        } else {
            exit = refuse(run.error());
        }
    }
    // Those that wait first: one of them would start in the place of the run that stops.
    std::stable_partition(runs.begin(), runs.end(), [](const Stoppable& run) { return run.waits; });
    for (const Stoppable& run : runs) {
        if (!run.origin.empty()) {
            const int there = stopThere(run);
            exit = there == kFinished ? exit : there;
            continue;
        }
        if (const Status asked = requestStop(options, run); !asked) exit = refuse(asked.error());
    }
    return exit;
}

Action declareStop(CLI::App& app) {
    auto options = std::make_shared<StopOptions>();
    app.add_option("RUN", options->runs, "Run ids, or the beginnings of them; a queued run never starts")->required();
    addWorkspaceOption(app, options->workspace);
    return [options] { return stop(*options); };
}

const CommandRegistry::Add kStopEntry{
    {.order = 40,
     .name = "stop",
     .summary = "Stop runs: all ranks of one at the same step; those that are queued never start",
     .declare = declareStop}};

}  // namespace

}  // namespace dasgd::experiments
