#include "core/train/worker.h"

#include <ATen/Parallel.h>

#include "core/train/worker_loop.h"

namespace dasgd {

namespace {

std::string firstLineOf(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

}  // namespace

WorkerOutcome runWorker(const Experiment& experiment, const WorkerEnvironment& environment) {
    at::set_num_threads(static_cast<int>(experiment.cluster.threadsPerWorker));
    environment.sink.state(RankState::Starting, 0, "");
    std::int64_t step = 0;
    const auto failed = [&](const std::string& message) {
        environment.sink.state(RankState::Failed, step, message);
        if (environment.control) environment.control->leave(environment.comm.rank());
        return WorkerOutcome{WorkerOutcome::Kind::Failed, step, message};
    };
    TrainingData own;
    std::unique_ptr<WorkerLoop> loop;
    try {
        if (!environment.data) {
            auto loaded = loadTrainingData(experiment);
            if (!loaded) return failed(loaded.error().message);
            own = std::move(*loaded);
        }
        const TrainingData& data = environment.data ? *environment.data : own;
        std::unique_ptr<Model> model;
        if (!experiment.timeOnly()) {
            auto built = buildModel(experiment, data, environment.comm.rank());
            if (!built) return failed(built.error().message);
            model = std::move(*built);
        }
        loop = std::make_unique<WorkerLoop>(experiment, environment, data, std::move(model));
        WorkerOutcome outcome = loop->run();
        if (environment.control) environment.control->leave(environment.comm.rank());
        return outcome;
    } catch (const std::exception& error) {
        step = loop ? loop->step() : 0;
        return failed(firstLineOf(error) + (step > 0 ? " (after step " + std::to_string(step) + ")" : ""));
    }
}

}  // namespace dasgd
