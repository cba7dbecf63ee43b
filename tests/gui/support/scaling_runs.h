// Made-up finished runs at several numbers of workers, for tests of the Scaling view. Never shown as a result.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/journal/journal.h"
#include "storage/write/recorder.h"

namespace dasgd::test {

struct ScalingSpec {
    std::string experiment = "scaling", algorithm = "dasgd", backend = "virtual";
    int workers = 1, batch = 32;
    std::int64_t seed = 1;
    double stepMs = 10;
    std::vector<double> accuracies = {};  // one every 100 steps
    std::string status = "finished";
    std::string more = {};  // TOML at the end of the configuration
};

inline storage::RunInfo scalingInfo(const ScalingSpec& spec, const std::string& id) {
    storage::RunInfo info{
        .runId = id, .experiment = spec.experiment, .algorithm = spec.algorithm, .backend = spec.backend};
    info.timeSimulated = spec.backend == "virtual";
    info.config = "name = \"" + spec.experiment + "\"\n[algorithm]\nname = \"" + spec.algorithm +
                  "\"\n[train]\nbatch_size = " + std::to_string(spec.batch) + "\nseed = " + std::to_string(spec.seed) +
                  "\n[cluster]\nbackend = \"" + spec.backend + "\"\nworkers = " + std::to_string(spec.workers) + "\n" +
                  spec.more;
    info.seed = spec.seed;
    info.workers = spec.workers;
    info.batchSize = spec.batch;
    info.plannedSteps = 100;
    info.stepsPerEpoch = 100;
    info.host = "test";
    info.gitCommit = "0123456789abcdef0123456789abcdef01234567";
    info.versions = "{}";
    return info;
}

// The whole run at once, its ranks in one journal; its id.
inline std::string recordScaling(storage::Store& store, const ScalingSpec& spec) {
    const auto check = [](const auto& done) {
        if (!done) throw std::runtime_error(done.error().message);
    };
    const std::string id = store.newRunId(spec.algorithm);
    check(store.addRun(scalingInfo(spec, id)));
    {
        auto journal = JournalWriter::create(store.paths().journal(id, 0), {.segmentRecords = 256});
        check(journal);
        const auto metric = [&](const char* name, std::int64_t step, double value) {
            const Ns at = std::llround(static_cast<double>(step) * spec.stepMs * 1e6);
            (*journal)->metric({.name = name, .step = step, .wall = at, .value = value});
        };
        for (std::size_t i = 0; i < spec.accuracies.size(); ++i) {
            const std::int64_t step = 100 * static_cast<std::int64_t>(i + 1);
            metric("eval/trained_s", step, static_cast<double>(step) * spec.stepMs * 1e-3);
            metric("eval/accuracy", step, spec.accuracies[i]);
        }
        for (int rank = 0; rank < spec.workers; ++rank) {
            EventSink& sink = (*journal)->of(Rank(rank));
            sink.metric({.name = "timing/steps", .step = 100, .value = 100});
            sink.metric({.name = "timing/seconds", .step = 100, .value = spec.stepMs * 0.1});
        }
        (*journal)->state(RankState::Finished, 100, "");
    }
    std::vector<int> ranks;
    for (int rank = 0; rank < spec.workers; ++rank) ranks.push_back(rank);
    auto recorder = storage::Recorder::start(store, id, ranks, {0});
    check(recorder);
    check((*recorder)->finish(spec.status, ""));
    return id;
}

}  // namespace dasgd::test
