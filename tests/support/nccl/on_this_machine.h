// The backend `nccl` over the GPUs of this machine, as many ranks on each as it takes, for ranks that are threads.
#pragma once

#include <memory>
#include <string>

#include "core/backends/gpu_backend.h"
#include "tests/support/nccl/launched_together.h"

namespace dasgd::test {

struct OnThisMachine {
    std::unique_ptr<dasgd::Backend> backend;
    ClusterParams cluster;
    std::string lacks;  // why nothing can be tested
};

// `load`: another one where a rank is to come late, or not at all, and calls CUDA for nothing meanwhile.
inline OnThisMachine onThisMachine(int ranks, const LoadGpuRuntime& load = launchedTogether(loadGpuRuntime)) {
    const auto runtime = loadGpuRuntime();
    if (!runtime) return {.lacks = runtime.error().message};
    const auto gpus = usableDevices(runtime->device);
    if (!gpus) return {.lacks = gpus.error().message};
    const std::int64_t ranksPerGpu = (ranks + *gpus - 1) / *gpus;
    OnThisMachine made{.cluster = {.backend = "nccl", .workers = ranks}};
    made.backend = std::make_unique<GpuBackend>(GpuParams{.ranksPerGpu = ranksPerGpu}, load);
    if (const auto suits = made.backend->checkMachine(made.cluster); !suits) made.lacks = suits.error().message;
    return made;
}

}  // namespace dasgd::test
