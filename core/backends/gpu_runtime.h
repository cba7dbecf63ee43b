// Functions by which ranks compute on a machine's GPUs and communicate between them, as tables: loaded at run time from
// what is installed, so that one program runs with and without it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/nccl/nccl_api.h"
#include "core/device/device_api.h"
#include "core/device/device_library.h"
#include "core/gpu/tensor_device.h"

namespace dasgd {

struct GpuRuntime {
    DeviceApi device;
    NcclApi nccl;
    // Loads LibTorch's side, its libraries for GPUs. Errors: they are not there or cannot be loaded. Takes seconds the
    // first time.
    std::function<Status()> load;
    // Opens a GPU for the calling thread.
    std::function<Result<std::unique_ptr<TensorDevice>>(int index)> open;
};
using LoadGpuRuntime = std::function<Result<GpuRuntime>()>;

// CUDA's runtime and NCCL of this machine, and LibTorch's CUDA libraries through core/gpu. Errors: no driver, or every
// library that is missing; with what to do.
[[nodiscard]] Result<GpuRuntime> loadGpuRuntime();

// Requirements of a run on one machine.
struct GpuDemand {
    int ranks = 1;  // on this machine
    int ranksPerGpu = 1;
    bool mixed = false;  // GPUs may differ
    [[nodiscard]] int gpus() const { return (ranks + ranksPerGpu - 1) / ranksPerGpu; }
};

// The GPUs of this machine. Errors: NCCL is too old, too few GPUs, GPUs that differ; with what to do.
[[nodiscard]] Result<std::vector<DeviceFacts>> checkGpus(const GpuRuntime& runtime, const GpuDemand& demand);

// True where CUDA's multi-process service runs for this user. Without it processes that share a GPU take turns on it: a
// message of one waits until others have had their turn, some ten milliseconds each, and nothing overlaps.
[[nodiscard]] bool multiProcessServiceRuns();
inline constexpr const char* kByTurns =
    "CUDA's multi-process service does not run here, so processes that share a GPU take turns on it and overlap "
    "nothing. Start it with nvidia-cuda-mps-control -d";

// Text about the GPUs: "2 GPUs (NVIDIA H100 80GB HBM3), driver for CUDA 13.0, NCCL 2.30.7, which can have several ranks
// on one GPU"; it adds where ranks would take turns.
[[nodiscard]] std::string describeGpus(const GpuRuntime& runtime, const std::vector<DeviceFacts>& gpus);

// Number for a message: "one GPU", "2 GPUs".
[[nodiscard]] std::string countOfGpus(std::size_t gpus);

// Error for GPUs whose `names` differ, with what to do: "the GPUs differ (A, B): …".
[[nodiscard]] Error mixedGpus(const std::vector<std::string>& names);

}  // namespace dasgd
