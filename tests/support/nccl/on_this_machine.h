// The backend `nccl` over the GPUs of this machine, as many ranks on each as it takes.
#pragma once

#include <memory>
#include <string>

#include "core/backends/gpu_backend.h"
#include "tests/support/document.h"

namespace dasgd::test {

struct OnThisMachine {
    std::unique_ptr<dasgd::Backend> backend;
    ClusterParams cluster;
    std::string lacks;  // why nothing can be tested
};

inline OnThisMachine onThisMachine(int ranks) {
    const auto runtime = loadGpuRuntime();
    if (!runtime) return {.lacks = runtime.error().message};
    const auto gpus = usableDevices(runtime->device);
    if (!gpus) return {.lacks = gpus.error().message};
    const std::int64_t ranksPerGpu = (ranks + *gpus - 1) / *gpus;
    OnThisMachine made{.cluster = {.backend = "nccl", .workers = ranks}};
    made.backend = BackendRegistry::find("nccl")->create(table({{"ranks_per_gpu", integer(ranksPerGpu)}}), {}).value();
    if (const auto suits = made.backend->checkMachine(made.cluster); !suits) made.lacks = suits.error().message;
    return made;
}

}  // namespace dasgd::test
