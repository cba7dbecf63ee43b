// A worker as the launcher starts it.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/journal.h"
#include "core/base/log.h"
#include "core/comm/gloo.h"
#include "core/comm/threads.h"
#include "core/sim/engine/world.h"
#include "core/train/measure_step.h"
#include "experiments/worker/rank_main.h"
#include "experiments/worker/worker_process.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

namespace {

constexpr const char* kStateNames[] = {"starting", "running", "finished", "failed", "stopped"};

// A launcher that is killed takes its ranks along. It may have died before we could ask for that.
void dieWith(pid_t launcher) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher) ::_exit(1);
}

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
        logLine(LogLevel::Warning, "the launcher did not hear it", report.rank);
    }
}

struct Shared {
    const ChildTask& task;
    const Experiment& experiment;
    storage::WorkspacePaths paths;
    RunControl& control;
    const TrainingData* data = nullptr;  // of all ranks, where they are in one process
};

using MakeCommunicator = std::function<Result<std::unique_ptr<Communicator>>(int rank, const Clock& clock)>;

// Tells how it ended before the network library is torn down: that can take until its deadline when a peer is dead.
RankReport trainAndTell(const Shared& shared, EventSink& journal, Communicator& comm, Clock& clock) {
    RankReport report = trainRank(shared.experiment, {comm, clock, journal, &shared.control, nullptr, shared.data});
    tell(report);
    if (report.state == RankState::Failed && !shared.experiment.inOneProcess()) leave(1);
    return report;
}

RankReport runRank(const Shared& shared, int rank, const MakeCommunicator& makeCommunicator) {
    const auto refused = [&](const Error& error, EventSink* sink) {
        RankReport report = failedRank(rank, error, sink);
        tell(report);
        return report;
    };
    auto journal = JournalWriter::create(shared.paths.journal(shared.task.runId, rank));
    if (!journal) return refused(journal.error(), nullptr);
    MonotonicClock clock(shared.task.origin);
    auto comm = makeCommunicator(rank, clock);
    if (!comm) return refused(comm.error(), journal->get());
    const auto linked = withLink(std::move(*comm), shared.experiment, clock);
    return trainAndTell(shared, **journal, *linked, clock);
}

RankReport runProcessRank(const Shared& shared) {
    const auto timeout = deadlineOf(shared.experiment);
    const int size = static_cast<int>(shared.experiment.cluster.workers);
    const auto file = shared.paths.run(shared.task.runId) / "rendezvous";
    return runRank(shared, shared.task.rank,
                   [&](int rank, const Clock& clock) -> Result<std::unique_ptr<Communicator>> {
                       DASGD_ASSIGN(const Rendezvous rendezvous, Rendezvous::file(file, size, timeout));
                       return makeGloo(rendezvous, {.rank = Rank(rank), .size = size, .timeout = timeout}, clock);
                   });
}

bool runThreadRanks(const Shared& shared) {
    const int size = static_cast<int>(shared.experiment.cluster.workers);
    const MonotonicClock clock(shared.task.origin);
    ThreadsGroup group(size, deadlineOf(shared.experiment), clock);
    std::atomic<bool> failed = false;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            const RankReport report = runRank(shared, rank, [&](int own, const Clock&) {
                return Result<std::unique_ptr<Communicator>>(group.communicator(Rank(own)));
            });
            if (report.state != RankState::Failed) return;
            failed = true;
            group.abort("rank " + std::to_string(rank) + " failed: " + report.error);
        });
    }
    for (std::thread& thread : threads) thread.join();
    return !failed;
}

// At the instant and the step at which it happened.
void recordFault(const Shared& shared, const Plan& plan, JournalWriter& journal, const FaultEvent& fault) {
    const Rank rank(fault.rank);
    const std::int64_t step = shared.control.completed(rank);
    journal.of(rank).metric({.name = fault.ofLink ? "fault/link_down" : "fault/host_down",
                             .step = step,
                             .epoch = static_cast<double>(step) / static_cast<double>(plan.stepsPerEpoch),
                             .wall = static_cast<Ns>(std::llround(fault.at * 1e9)),
                             .value = fault.down ? 1.0 : 0.0});
}

bool runVirtualRanks(const Shared& shared, const TrainingData& data) {
    const Experiment& experiment = shared.experiment;
    const auto allFail = [&](const Error& error, EventSink* sink) {
        tell(failedRank(0, error, sink));
        return false;
    };
    auto journal = JournalWriter::create(shared.paths.journal(shared.task.runId, 0));
    if (!journal) return allFail(journal.error(), nullptr);
    auto times = stepTimesOf(experiment, data);
    if (!times) return allFail(times.error(), journal->get());
    static_cast<void>((*journal)->of(Rank(static_cast<int>(experiment.cluster.workers) - 1)));  // all of them at once
    (*journal)->of(Rank{0}).metric({.name = "run/computed_step_ms", .value = times->total() * 1e3});
    const Plan plan = planSteps(experiment, data.splits.train.count());
    auto world = VirtualWorld::create(*experiment.topology, {.ranks = static_cast<int>(experiment.cluster.workers),
                                                             .timeout = deadlineOf(experiment),
                                                             .network = experiment.network,
                                                             .compute = experiment.compute,
                                                             .times = std::move(*times),
                                                             .faults = experiment.faults,
                                                             .faulted = [&](const FaultEvent& fault) {
                                                                 recordFault(shared, plan, **journal, fault);
                                                             }});
    if (!world) return allFail(world.error(), journal->get());
    CooperativeGate gate(shared.control);
    bool failed = false;
    (*world)->run([&](VirtualRank& rank) {
        EventSink& sink = (*journal)->of(rank.comm.rank());
        const RankReport report =
            trainRank(experiment, {rank.comm, rank.clock, sink, &gate, &rank.simulatedTime, &data});
        tell(report);
        if (report.state != RankState::Failed) return;
        failed = true;
        (*world)->abort("rank " + std::to_string(report.rank) + " failed: " + report.error);
    });
    return !failed;
}

// Loads the data once for all ranks of the process.
bool runAllRanks(Shared shared) {
    const auto data = loadTrainingData(shared.experiment);
    if (!data) {
        tell(failedRank(0, data.error(), nullptr));
        return false;
    }
    shared.data = &*data;
    return shared.experiment.isVirtual() ? runVirtualRanks(shared, *data) : runThreadRanks(shared);
}

}  // namespace

void runChild(const ChildTask& task) {
    dieWith(task.launcher);
    logAsRanks();
    logLine(LogLevel::Info, "process " + std::to_string(::getpid()), task.rank);
    const auto experiment = readSingleExperiment(task.file, {});
    if (!experiment) {
        tell(failedRank(task.rank, experiment.error(), nullptr));
        leave(1);
    }
    const storage::WorkspacePaths paths{task.workspace};
    auto control = RunControl::open(paths.control(task.runId));
    if (!control) {
        tell(failedRank(task.rank, control.error(), nullptr));
        leave(1);
    }
    const Shared shared{task, *experiment, paths, *control};
    if (experiment->inOneProcess()) leave(runAllRanks(shared) ? 0 : 1);
    leave(runProcessRank(shared).state == RankState::Failed ? 1 : 0);
}

}  // namespace dasgd::experiments
