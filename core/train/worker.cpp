#include "core/train/worker.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "core/train/device/device_check.h"
#include "core/train/worker_loop.h"

namespace dasgd {

namespace {

std::string firstLineOf(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

std::string afterStep(std::int64_t step) { return step > 0 ? " (after step " + std::to_string(step) + ")" : ""; }

// Enters the device and sets TensorFloat-32, LibTorch's own default for convolutions, for convolutions and matrix
// products as the experiment says.
void enter(TensorDevice& device, const TrainParams& train) {
    at::globalContext().setAllowTF32CuBLAS(train.tf32);
    at::globalContext().setAllowTF32CuDNN(train.tf32);
    device.enter();
}

}  // namespace

WorkerOutcome runWorker(const Experiment& experiment, const WorkerEnvironment& environment) {
    at::set_num_threads(static_cast<int>(experiment.cluster.threadsPerWorker));
    environment.sink.state(RankState::Starting, 0, environment.host);
    std::int64_t step = 0;
    const auto failed = [&](const std::string& message) {
        environment.sink.state(RankState::Failed, step, message);
        if (environment.control) environment.control->leave(environment.comm.rank());
        return WorkerOutcome{WorkerOutcome::Kind::Failed, step, message};
    };
    TrainingData own;
    std::unique_ptr<WorkerLoop> loop;
    std::string doing = "loading the data";
    try {
        if (environment.device) enter(*environment.device, experiment.train);
        if (!environment.data) {
            auto loaded = loadTrainingData(experiment);
            if (!loaded) return failed(loaded.error().message);
            own = std::move(*loaded);
        }
        const TrainingData& data = environment.data ? *environment.data : own;
        std::unique_ptr<Model> model;
        at::Generator forward;
        if (!experiment.timeOnly()) {
            doing = "building the model";
            const at::Device device = environment.device ? environment.device->device() : at::Device(at::kCPU);
            auto built = buildModel(experiment, data, environment.comm.rank(), device, &forward);
            if (!built) return failed(built.error().message);
            model = std::move(*built);
        }
        loop = std::make_unique<WorkerLoop>(experiment, environment, data, std::move(model), std::move(forward), doing);
        WorkerOutcome outcome = loop->run();
        if (environment.control) environment.control->leave(environment.comm.rank());
        return outcome;
    } catch (const c10::OutOfMemoryError& error) {
        step = loop ? loop->step() : 0;
        return failed(outOfMemoryText(doing, error.what(), environment.device) + afterStep(step));
    } catch (const std::exception& error) {
        step = loop ? loop->step() : 0;
        return failed(firstLineOf(error) + afterStep(step));
    }
}

}  // namespace dasgd
