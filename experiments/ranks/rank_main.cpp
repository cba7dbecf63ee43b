#include "experiments/ranks/rank_main.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <limits>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {

namespace {

// Activations come and go at every step: giving their pages back to the kernel each time, and having them zeroed again,
// takes several per cent of a step.
void keepFreedMemory() {
    constexpr int kLargestThatGlibcTakes = 32 << 20;
    ::mallopt(M_MMAP_THRESHOLD, kLargestThatGlibcTakes);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
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

RankReport trainRank(const Experiment& experiment, const WorkerEnvironment& environment) {
    keepFreedMemory();
    const WorkerOutcome outcome = runWorker(experiment, environment);
    RankReport report{environment.comm.rank().value(), RankState::Finished, outcome.step, outcome.error,
                      MonotonicClock::rawNow()};
    if (outcome.kind == WorkerOutcome::Kind::Stopped) report.state = RankState::Stopped;
    if (outcome.kind == WorkerOutcome::Kind::Failed) report.state = RankState::Failed;
    return report;
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
