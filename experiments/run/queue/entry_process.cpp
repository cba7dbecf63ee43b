#include "experiments/run/queue/entry_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/config/machine_check.h"
#include "experiments/run/host/hardware.h"
#include "experiments/run/host/host_room.h"
#include "experiments/run/queue/enqueue.h"
#include "experiments/run/queue/needs.h"
#include "experiments/run/session/resume_point.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

// Where and with what the run is made now, which may differ from when it was queued.
storage::RunInfo here() {
    storage::RunInfo info;
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    info.host = host;
    info.cpu = machineInWords();
    info.hardware = hardware();
    info.versions = versionsJson();
    return info;
}

Result<std::optional<ResumePoint>> pointOf(const storage::WorkspacePaths& paths, const storage::RunInfo& info) {
    if (info.resumedFrom.empty()) return std::optional<ResumePoint>();
    DASGD_ASSIGN(auto reader, storage::RunReader::open(paths.root));
    DASGD_ASSIGN(const storage::RunRow before, reader.row(info.resumedFrom));
    DASGD_ASSIGN(auto found, resumePointOf(paths, reader, before, info.resumedStep));
    return std::optional(std::move(found.point));
}

Result<CheckedExperiment> experimentOf(const storage::WorkspacePaths& paths, const storage::RunInfo& info) {
    DASGD_TRY(restoreRunFiles(paths, info));
    // The file, not its text in the record: what it names lies beside it.
    DASGD_ASSIGN(const Value document, readTomlFile(paths.run(info.runId) / "experiment.toml"));
    DASGD_ASSIGN(CheckedExperiment experiment, checkExperiment(document));
    DASGD_TRY(checkRoom(experiment, hostRoom()));
    DASGD_TRY(checkMachine(experiment));
    return experiment;
}

// Errors: before a rank was started.
Result<LaunchedRun> launch(storage::Store& store, const std::string& run, StopSignals& signals) {
    const storage::WorkspacePaths& paths = store.paths();
    DASGD_ASSIGN(storage::RunInfo info, store.infoOf(run));
    DASGD_ASSIGN(const CheckedExperiment experiment, experimentOf(paths, info));
    auto from = pointOf(paths, info);
    if (!from) {
        const std::string why = from.error().message;
        logLine(LogLevel::Error, printable(why));
        // It goes on from an older one, as after any interruption.
        DASGD_TRY(store.abandonRun(run, "interrupted", why));
        return LaunchedRun{run, "interrupted", why};
    }
    DASGD_ASSIGN(RunControl control, RunControl::create(paths.control(run), info.workers));
    // Whoever stopped it until now found no page to say so; whoever does from now on finds this one.
    DASGD_ASSIGN(auto reader, storage::RunReader::open(paths.root));
    DASGD_ASSIGN(const storage::Queue queue, reader.queue());
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.runId == run && entry.cancelled) control.requestStop();
    }
    if (control.stopRequested() || signals.count() > 0) {
        const char* status = control.stopRequested() ? "stopped" : "queued";
        if (control.stopRequested()) DASGD_TRY(store.abandonRun(run, status, ""));
        return LaunchedRun{run, status, ""};
    }
    QueuedRun queued{.info = std::move(info), .resume = std::move(*from), .control = std::move(control), .problem = {}};
    Launcher launcher(store, signals, Progress::Style::Lines);
    return launcher.run(std::move(queued), experiment, run, {});
}

}  // namespace

void stopWith(int worker) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != worker) ::_exit(kStopped);
}

int runEntry(const EntryTask& task, StopSignals& signals) {
    const auto cpus = listOf(task.cpus);
    if (!cpus) return refuse(Error{"--cpus " + task.cpus + " is no list of cores, as 0-3,6"});
    if (const Status placed = runOn(*cpus); !placed) return refuse(placed.error());
    if (task.gpus) ::setenv("CUDA_VISIBLE_DEVICES", task.gpus->c_str(), 1);
    auto store = storage::Store::open(std::filesystem::absolute(task.workspace));
    if (!store) return refuse(store.error());
    // Asked to stop by now, perhaps as the worker is gone: another one may be about to start the run.
    if (signals.count() > 0) return kStopped;
    if (const Status taken = store->takeFromQueue(task.run, here()); !taken) {
        refuse(taken.error());
        return kNotOurs;
    }
    auto launched = launch(*store, task.run, signals);
    if (!launched) {
        const std::string why = launched.error().message;
        logLine(LogLevel::Error, printable(why));
        if (const Status written = store->abandonRun(task.run, "failed", why); !written) return refuse(written.error());
        return kRunFailed;
    }
    // Recorded, because whoever settles the run may be another worker, after this one was killed too.
    if (launched->died) {
        if (const Status written = store->abandonRun(task.run, "interrupted", ""); !written) {
            return refuse(written.error());
        }
        return kRunFailed;
    }
    const bool failed = launched->status == "failed" || launched->status == "interrupted";
    return launched->status == "finished" ? kFinished : failed ? kRunFailed : kStopped;
}

}  // namespace dasgd::experiments
