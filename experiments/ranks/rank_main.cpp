#include "experiments/ranks/rank_main.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/host_name.h"
#include "core/base/schema/toml_reader.h"
#include "core/train/open_host.h"
#include "core/train/timing/step_profiler.h"

namespace dasgd::experiments {

namespace {

// Activations come and go at every step: giving their pages back to the kernel each time, and having them zeroed again,
// takes several per cent of a step.
void keepFreedMemory() {
    constexpr int kLargestThatGlibcTakes = 32 << 20;
    ::mallopt(M_MMAP_THRESHOLD, kLargestThatGlibcTakes);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

// Turns the outcome into a report.
RankReport trainRank(const Experiment& experiment, const WorkerEnvironment& environment) {
    const WorkerOutcome outcome = runWorker(experiment, environment);
    RankReport report{environment.comm.rank().value(), RankState::Finished, outcome.step, outcome.error,
                      MonotonicClock::rawNow()};
    if (outcome.kind == WorkerOutcome::Kind::Stopped) report.state = RankState::Stopped;
    if (outcome.kind == WorkerOutcome::Kind::Failed) report.state = RankState::Failed;
    return report;
}

}  // namespace

Result<Experiment> readSingleExperiment(const std::string& file, const Overrides& overrides) {
    DASGD_ASSIGN(const Value document, readTomlFile(file));
    DASGD_ASSIGN(const auto expanded, expandExperiments(document, overrides));
    if (expanded.size() != 1) {
        return fail(file + ": stands for " + std::to_string(expanded.size()) +
                    " experiments; a worker trains one. Remove [sweep], or use `dasgd run`");
    }
    return readExperiment(expanded.front().document);
}

Result<bool> trainRanks(RanksSetup setup, const RankEnded& ended) {
    keepFreedMemory();
    const auto sinkOf = setup.host.sink;
    DASGD_ASSIGN(auto host, openHost(setup.experiment, setup.data, std::move(setup.host)));
    std::atomic<bool> failed = false;
    host->run([&](HostedRank& rank) {
        const RankReport report =
            trainRank(setup.experiment, {.comm = rank.comm,
                                         .clock = rank.clock,
                                         .sink = sinkOf(rank.comm.rank()),
                                         .control = setup.gate ? setup.gate : rank.gate,
                                         .executor = rank.executor,
                                         .data = setup.data,
                                         .evaluations = setup.evaluations,
                                         .device = rank.device,
                                         .checkpoints = setup.checkpoints,
                                         .host = setup.experiment.timeSimulated() ? "" : hostName(),
                                         .profileTrace = profileTraceIn(setup.folder, rank.comm.rank())});
        ended(report);
        if (report.state != RankState::Failed) return;
        failed = true;
        host->abort("rank " + std::to_string(report.rank) + " failed: " + report.error);
    });
    if (failed) static_cast<void>(host.release());
    return !failed;
}

RankReport failedRank(int rank, const Error& error, EventSink* sink) {
    if (sink) sink->state(RankState::Failed, 0, error.message);
    return {rank, RankState::Failed, 0, error.message, MonotonicClock::rawNow()};
}

void leave(int exitCode) {
    std::fflush(stdout);
    std::fflush(stderr);
    ::_exit(exitCode);
}

}  // namespace dasgd::experiments
