// `dasgd queue work`: trains what waits in the queue of a workspace.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/base/log.h"
#include "experiments/base/text.h"
#include "experiments/commands/queue/queue_parts.h"
#include "experiments/run/queue/entry_process.h"
#include "experiments/run/queue/queue_worker.h"
#include "experiments/run/session/run_series.h"

namespace dasgd::experiments {

namespace {

struct QueueWorkOptions {
    WorkOptions work;
    std::string workspace;
    bool json = false, allowFileSystem = false;
};

std::string outcomeText(const storage::RunRow& row, const EntryOutcome& outcome) {
    const std::string from = outcome.step > 0 ? "step " + std::to_string(outcome.step) : "its beginning";
    switch (outcome.end) {
        case EntryOutcome::End::GoesOn: return "it goes on from " + from + " as " + outcome.next;
        case EntryOutcome::End::Restarts:
            return "run " + row.runId + " " + (row.status == "interrupted" ? "was interrupted" : "failed") +
                   "; it goes on from " + from + " as " + outcome.next + ", with " +
                   std::to_string(outcome.restartsLeft) + " restarts left";
        case EntryOutcome::End::TakenOut: return "run " + row.runId + " was stopped, and is taken out of the queue";
        default: return {};
    }
}

WorkListener listenerFor(bool json) {
    return {.started =
                [](const std::string& run, const Needs& needs, const Slots::Seats& seats) {
                    const std::string cores = seats.cpus.empty() ? "" : ", on " + listText(seats.cpus);
                    const std::string where = seats.all ? ", more than there are: alone, on all of them" : cores;
                    logLine(LogLevel::Info, printable(run + " starts; it needs " + inWords(needs) + where));
                },
            .ended =
                [json](const storage::RunRow& row, const EntryOutcome& outcome) {
                    reportRun(row, row.algorithm + ", seed " + std::to_string(row.seed), json);
                    std::fflush(stdout);
                    const std::string text = outcomeText(row, outcome);
                    if (!text.empty()) logLine(LogLevel::Info, printable(text));
                },
            .said = [](const std::string& text) { logLine(LogLevel::Warning, printable(text)); }};
}

// Prints the entries that stay in a queue that has nothing more for the worker.
void sayWhatStays(const std::string& workspace) {
    auto reader = storage::RunReader::open(workspace);
    const auto queue = reader ? reader->queue() : tl::unexpected(reader.error());
    if (!queue || queue->entries.empty()) return;
    logLine(LogLevel::Warning, std::to_string(queue->entries.size()) +
                                   (queue->paused ? " in the queue, which is paused: `dasgd queue resume`"
                                                  : " in the queue, held: `dasgd queue release RUN`"));
}

int workQueue(const QueueWorkOptions& options) {
    StopSignals signals;
    if (options.allowFileSystem) {
        if (const Status allowed = storage::allowFileSystem(options.workspace); !allowed) {
            return refuse(allowed.error());
        }
    }
    WorkOptions work = options.work;
    work.workspace = std::filesystem::absolute(options.workspace);
    auto worker = QueueWorker::open(work, signals, listenerFor(options.json));
    if (!worker) return refuse(worker.error());
    if (!*worker) {
        const std::string who = storage::queueWorker(storage::WorkspacePaths{work.workspace});
        const std::string text = "the queue is worked already, by process " + printable(who);
        if (!work.untilEmpty) return refuse(Error{text + "; stop that one first, or let it do the rest"});
        logLine(LogLevel::Info, text);
        return kFinished;
    }
    const auto end = (*worker)->work();
    if (!end) {
        logLine(LogLevel::Error, printable(end.error().message));
        return kRunFailed;
    }
    if (*end == QueueWorker::End::Stopped) return kStopped;
    sayWhatStays(options.workspace);
    return (*worker)->anyFailed() ? kRunFailed : kFinished;
}

}  // namespace

Action declareQueueWork(CLI::App& app) {
    auto options = std::make_shared<QueueWorkOptions>();
    addWorkspaceOption(app, options->workspace);
    addFileSystemOption(app, options->allowFileSystem);
    app.add_option("--slots", options->work.atOnce, "How many runs at once (default 1), none on a core of another")
        ->check(CLI::Range(1, 1024));
    app.add_option("--cores", options->work.cores, "How many cores they may take in all (default: all)")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--gpus", options->work.gpus, "How many GPUs they may take in all (default: all)")
        ->check(CLI::Range(0, 1'000'000));
    app.add_flag("--until-empty", options->work.untilEmpty, "End when nothing is left that may start");
    app.add_flag("--json", options->json, "One line of JSON a run when it ends, on stdout");
    app.footer(
        "A run starts when the cores and GPUs that it needs are free, also of other runs that train in the workspace.\n"
        "SIGTERM or Ctrl-C stops the runs at a step and keeps them in the queue: the next `dasgd queue work` goes on\n"
        "from there, as after a kill or a reboot from the newest checkpoint. In a batch job of SLURM:\n"
        "    #SBATCH --requeue --signal=B:TERM@60\n"
        "    exec dasgd queue work --until-empty");
    return [options] { return workQueue(*options); };
}

Action declareQueueStart(CLI::App& app) {
    auto task = std::make_shared<EntryTask>();
    app.add_option("RUN", task->run)->required();
    addWorkspaceOption(app, task->workspace);
    app.add_option("--worker", task->worker)->required();
    app.add_option("--cpus", task->cpus);
    app.add_option("--gpus", task->gpus);
    return [task] {
        stopWith(task->worker);
        StopSignals signals(StopSignals::Repeats::Ignore);
        return runEntry(*task, signals);
    };
}

}  // namespace dasgd::experiments
