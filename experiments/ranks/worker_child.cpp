// A worker as the launcher starts it: reads the experiment, opens its backend, runs the ranks of this process and tells
// the launcher how each ended.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "core/base/digest/sha256.h"
#include "core/base/log.h"
#include "core/train/evaluation/evaluation_board.h"
#include "experiments/base/errors.h"
#include "experiments/ranks/rank_journals.h"
#include "experiments/ranks/rank_main.h"
#include "experiments/ranks/worker_process.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

namespace {

constexpr const char* kStateNames[] = {"starting", "running", "finished", "failed", "stopped"};

// Thread-safe: ranks that are threads share the pipe. Shorter than PIPE_BUF, so never torn.
void tell(const RankReport& report) {
    const bool failed = report.state == RankState::Failed;
    logLine(failed ? LogLevel::Error : LogLevel::Info,
            std::string(kStateNames[static_cast<std::size_t>(report.state)]) + " at step " +
                std::to_string(report.step) + (report.error.empty() ? "" : ": " + report.error),
            report.rank);
    const std::string line = toLine(report);
    const ssize_t written = ::write(kReportDescriptor, line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size())) {
        logLine(LogLevel::Warning, "the launcher did not receive the report", report.rank);
    }
}

// Objects that all ranks of this process share.
struct Shared {
    const ChildTask& task;
    const Experiment& experiment;
    std::vector<int> ranks;  // of this process
    RunControl& control;
    RankJournals& journals;
    std::filesystem::path folder;  // of the run
    const CheckpointEnvironment& checkpoints;
};

// Errors: whatever keeps the ranks from starting.
Result<bool> openAndRun(const Shared& shared, MonotonicClock& clock) {
    TrainingData data;
    const bool sharesData = shared.ranks.size() > 1 || shared.experiment.timeSimulated();
    if (sharesData) {
        DASGD_ASSIGN(data, loadTrainingData(shared.experiment));
    }
    std::unique_ptr<EvaluationBoard> evaluations;
    if (shared.experiment.timeSimulated() && !shared.experiment.timeOnly()) {
        DASGD_ASSIGN(evaluations, EvaluationBoard::create(shared.experiment, data, flatLayoutOf(shared.experiment)));
    }
    return trainRanks({.experiment = shared.experiment,
                       .host = {.ranks = shared.ranks,
                                .clock = clock,
                                .control = &shared.control,
                                .folder = shared.folder,
                                .localRank = shared.ranks.front(),  // the launcher starts all of them here
                                .sink = [&](Rank rank) -> EventSink& { return shared.journals.of(rank); }},
                       .data = sharesData ? &data : nullptr,
                       .evaluations = evaluations.get(),
                       .checkpoints = &shared.checkpoints,
                       .folder = shared.folder},
                      tell);
}

// The process whose first rank the launcher named.
Result<std::vector<int>> ranksOf(const Layout& layout, int first) {
    for (const auto& ranks : layout.processes) {
        if (ranks.front() == first) return ranks;
    }
    return fail("no process of this experiment begins with rank " + std::to_string(first));
}

// Where the run saves its state, and what it goes on from.
Result<CheckpointEnvironment> checkpointsOf(const ChildTask& task, const storage::WorkspacePaths& paths) {
    std::ifstream file(task.file, std::ios::binary);
    std::ostringstream config;
    config << file.rdbuf();
    CheckpointEnvironment environment{.place = {paths.checkpoints(task.runId), task.runId, sha256Of(config.view())}};
    if (task.resume.empty()) return environment;
    DASGD_ASSIGN(environment.from, CheckpointFolder(task.resume).at(task.resumeStep));
    return environment;
}

Result<bool> runTask(const ChildTask& task, RankJournals& journals) {
    DASGD_ASSIGN(const Experiment experiment, readSingleExperiment(task.file, {}));
    DASGD_ASSIGN(const std::vector<int> ranks, ranksOf(experiment.layout, task.rank));
    const storage::WorkspacePaths paths{task.workspace};
    DASGD_ASSIGN(RunControl control, RunControl::open(paths.control(task.runId)));
    DASGD_TRY(journals.open(paths, task.runId, ranks, experiment.layout.sharedJournal));
    DASGD_ASSIGN(CheckpointEnvironment checkpoints, checkpointsOf(task, paths));
    std::optional<CheckpointDecisions> decisions;
    const auto& every = experiment.train.checkpoint;
    if (every && every->interval().time > 0 && experiment.timeSimulated()) {
        checkpoints.decisions =
            &decisions.emplace(every->interval().time, static_cast<int>(experiment.cluster.workers));
    }
    MonotonicClock clock(task.origin);
    return openAndRun({task, experiment, ranks, control, journals, paths.run(task.runId), checkpoints}, clock);
}

bool finishes(const ChildTask& task) {
    RankJournals journals;
    const Result<bool> finished = runTask(task, journals);
    if (!finished) tell(failedRank(task.rank, finished.error(), journals.find(Rank(task.rank))));
    return finished && *finished;
}

}  // namespace

// It may have died before we could ask for that.
void dieWith(pid_t launcher) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher) ::_exit(1);
}

void runChild(const ChildTask& task) {
    dieWith(task.launcher);
    // A batch system that ends a job signals all of its processes; the launcher stops the ranks, at one step.
    // It starts them with these signals blocked, so that one that came before does no harm either.
    sigset_t jobSignals;
    sigemptyset(&jobSignals);
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2}) {
        ::signal(number, SIG_IGN);
        sigaddset(&jobSignals, number);
    }
    ::pthread_sigmask(SIG_UNBLOCK, &jobSignals, nullptr);
    logAsRanks();
    logLine(LogLevel::Info, "process " + std::to_string(::getpid()), task.rank);
    try {
        leave(finishes(task) ? 0 : 1);
    } catch (const std::exception&) {
        tell(failedRank(task.rank, {presentException()}, nullptr));
        leave(1);
    }
}

}  // namespace dasgd::experiments
