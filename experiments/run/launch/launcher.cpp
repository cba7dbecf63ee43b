#include "experiments/run/launch/launcher.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/config/document.h"
#include "experiments/run/host/system_metrics.h"
#include "experiments/run/record/stored_schema.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr Ns kPollInterval = 100'000'000;
// Seconds that ranks get to end after their deadline.
constexpr double kStopSlackS = 5;
// Time that ranks have to end after they were asked to stop. Ranks that compute get the timeout of a collective on top,
// from the last completed step on: a rank inside a collective notices the stop only when the collective has ended or
// timed out, and then saves a checkpoint. A time-only run has nothing to save, and one step of thousands of simulated
// ranks may take minutes, so it is ended after the slack.
RankProcesses::Patience patienceOf(const CheckedExperiment& experiment) {
    const bool computes = experiment.evalEvery > 0 || !experiment.layout.timeSimulated;
    return {.time = static_cast<Ns>(((computes ? experiment.timeoutS : 0) + kStopSlackS) * 1e9),
            .fromLastStep = computes};
}

// Network interface between the ranks of one host.
constexpr const char* kLoopback = "lo";

ChildProcess::Options workerProcess(const storage::WorkspacePaths& paths, const QueuedRun& queued, int rank) {
    const storage::RunInfo& info = queued.info;
    const fs::path folder = paths.run(info.runId);
    ChildProcess::Options options;
    options.program = "/proc/self/exe";
    options.arguments = {"worker",      (folder / "experiment.toml").string(),
                         "--workspace", paths.root.string(),
                         "--run",       info.runId,
                         "--rank",      std::to_string(rank),
                         "--origin",    std::to_string(info.clockOrigin),
                         "--launcher",  std::to_string(::getpid())};
    if (queued.resume) {
        options.arguments.insert(options.arguments.end(), {"--checkpoints", queued.resume->checkpoints.string(),
                                                           "--from-step", std::to_string(queued.resume->step)});
    }
    options.log = folder / "logs" / ("rank-" + std::to_string(rank) + ".log");
    // A batch system may signal every process of a job while a rank is only starting; runChild() ignores these signals.
    options.blocked = {SIGTERM, SIGUSR1, SIGUSR2};
    return options;
}

// Processes whose use of the host is recorded, each with its rank; −1 where one process holds all ranks.
std::vector<SystemMetrics::Watched> watched(const RankProcesses& group, int workers) {
    std::vector<SystemMetrics::Watched> all;
    for (const RankProcesses::WorkerProcess& process : group.processes()) {
        const bool shared = process.ranks.size() > 1 && static_cast<int>(process.ranks.size()) == workers;
        all.push_back({shared ? -1 : process.ranks.front(), process.process.id()});
    }
    return all;
}

// Follows the ranks to their end. The first signal asks them to stop at a common step, the second Ctrl-C kills them.
void follow(RankProcesses& group, StopSignals& signals, Progress& progress, storage::Recorder& recorder,
            SystemMetrics* system, Ns clockOrigin, const std::function<void()>& meanwhile) {
    while (group.running()) {
        group.wait(kPollInterval, signals.fd());
        if (meanwhile) meanwhile();
        const Ns now = MonotonicClock::rawNow();
        if (system) system->sample(now, now - clockOrigin, group.completedByAll(), recorder);
        const bool isAsked = signals.count() > 0;
        if (signals.mustEndNow()) {
            group.kill();
        } else if (isAsked) {
            group.requestStop();
        }
        // The recorder says an error itself, once.
        progress.update(group.completedByAll(),
                        isAsked ? "stopping; Ctrl-C again to end at once" : recorder.currentError());
    }
}

}  // namespace

storage::RunInfo describeRun(const CheckedExperiment& experiment, const Provenance& provenance) {
    storage::RunInfo info;
    info.experiment = experiment.name;
    info.algorithm = experiment.algorithm;
    info.backend = experiment.backend;
    info.config = toTomlDocument(experiment.resolved);
    info.seed = experiment.seed;
    info.workers = experiment.workers;
    info.trainers = experiment.trainers;
    info.plannedSteps = experiment.totalSteps;
    info.stepsPerEpoch = experiment.stepsPerEpoch;
    info.batchSize = experiment.meanBatch;
    if (const auto* trace = valueAt<std::string>(experiment.resolved, "record", "trace"))
        info.keepSpans = *trace == "full";
    info.linkEmulated = !experiment.link.empty();
    info.link = experiment.link;
    info.timeSimulated = experiment.layout.timeSimulated;
    info.schema = storedSchema(experiment.resolved);
    info.host = provenance.host;
    info.cpu = provenance.cpu;
    info.hardware = provenance.hardware;
    info.gitCommit = provenance.gitCommit;
    info.gitDirtyDiff = provenance.gitDirtyDiff;
    info.gitDirty = provenance.gitDirty;
    info.versions = provenance.versions;
    return info;
}

Status writeRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info, const fs::path& networkFile) {
    const fs::path folder = paths.run(info.runId);
    std::error_code code;
    fs::create_directories(folder / "logs", code);
    std::ofstream out(folder / "experiment.toml", std::ios::binary);
    out << info.config;
    out.close();
    if (code || !out) return fail(folder.string() + ": cannot be written; is the disk full?");
    if (networkFile.empty()) return {};
    fs::create_directories(folder / "artefacts", code);
    fs::copy_file(networkFile, folder / "artefacts" / networkFile.filename(), code);
    if (code) return fail(networkFile.string() + ": cannot be copied into " + folder.string() + ": " + code.message());
    return {};
}

Result<QueuedRun> Launcher::queue(const CheckedExperiment& experiment, const Provenance& provenance,
                                  const SeriesPlace& place, const std::optional<ResumePoint>& resume) {
    QueuedRun queued{.info = describeRun(experiment, provenance), .resume = resume};
    storage::RunInfo& info = queued.info;
    info.runId = store_.newRunId(info.algorithm);
    info.clockOrigin = MonotonicClock::rawNow();
    if (place.size != 1 || place.waits) {
        info.series = place.series.empty() ? info.runId : place.series;
        info.seriesPlace = place.place;
        info.seriesSize = place.size;
    }
    if (resume) {
        info.resumedFrom = resume->runId;
        info.resumedStep = resume->step;
    }
    DASGD_TRY(store_.addRun(info));
    const storage::WorkspacePaths& paths = store_.paths();
    if (const Status written = writeRunFiles(paths, info, experiment.networkFile); !written) {
        queued.problem = written.error().message;
        return queued;
    }
    auto control = RunControl::create(paths.control(info.runId), info.workers);
    if (control) {
        queued.control = std::move(*control);
    } else {
        queued.problem = control.error().message;
    }
    return queued;
}

Status Launcher::cancel(const QueuedRun& queued) { return store_.abandonRun(queued.info.runId, "stopped", ""); }

Result<LaunchedRun> Launcher::run(QueuedRun queued, const CheckedExperiment& experiment, const std::string& title,
                                  const std::function<void()>& meanwhile) {
    storage::RunInfo& info = queued.info;
    const auto giveUp = [&](const std::string& why) -> Result<LaunchedRun> {
        DASGD_TRY(store_.abandonRun(info.runId, "failed", why));
        return LaunchedRun{info.runId, "failed", why};
    };
    if (!queued.control) return giveUp(queued.problem);
    // The clock of a resumed run continues at the instant at which its checkpoint was saved. Simulated time is set by
    // the ranks themselves.
    info.clockOrigin = MonotonicClock::rawNow() - (queued.resume && !info.timeSimulated ? queued.resume->wall : 0);
    DASGD_TRY(store_.setClockOrigin(info.runId, info.clockOrigin));
    auto recorder = startRecorder(experiment, info);
    if (!recorder) return giveUp(recorder.error().message);
    ProcessesOutcome outcome = train(experiment, queued, **recorder, title, meanwhile);
    if (outcome.state == RankState::Stopped) outcome.error = stopInWords(signals_, outcome.error);
    const char* status = outcome.state == RankState::Finished  ? "finished"
                         : outcome.state == RankState::Stopped ? "stopped"
                                                               : "failed";
    CheckpointFolder(store_.paths().checkpoints(info.runId)).sweep();
    DASGD_ASSIGN(const storage::RanksEnd end, (*recorder)->finish(status, outcome.error));
    return LaunchedRun{info.runId, end.status, end.error, outcome.died};
}

Result<std::unique_ptr<storage::Recorder>> Launcher::startRecorder(const CheckedExperiment& experiment,
                                                                   const storage::RunInfo& info) {
    std::vector<int> ranks(static_cast<std::size_t>(info.workers));
    std::iota(ranks.begin(), ranks.end(), 0);
    return storage::Recorder::start(store_, info.runId, ranks, experiment.layout.journals());
}

ProcessesOutcome Launcher::train(const CheckedExperiment& experiment, QueuedRun& queued, storage::Recorder& recorder,
                                 const std::string& title, const std::function<void()>& meanwhile) {
    RankProcesses group(*queued.control, patienceOf(experiment));
    Progress progress(title, experiment.totalSteps, style_);
    for (const std::vector<int>& ranks : experiment.layout.processes) {
        // Starting thousands of processes takes long, so signals are looked at before each.
        if (signals_.count() > 0) {
            group.kill();
            break;
        }
        const Status started = group.add(ranks, workerProcess(store_.paths(), queued, ranks.front()));
        if (!started) return {RankState::Failed, started.error().message};
    }
    // The load of the host tells nothing about a run in simulated time.
    std::optional<SystemMetrics> system;
    if (!queued.info.timeSimulated) {
        system.emplace(watched(group, queued.info.workers), kLoopback);
    }
    follow(group, signals_, progress, recorder, system ? &*system : nullptr, queued.info.clockOrigin, meanwhile);
    return group.outcome();
}

}  // namespace dasgd::experiments
