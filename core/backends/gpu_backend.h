// A backend whose ranks compute on GPUs: processes, each with a GPU, that communicate through NCCL, with a Gloo group
// beside it. Its libraries are given to it (gpu_runtime.h): `nccl` gives it those that are installed.
#pragma once

#include <memory>
#include <string>

#include "core/backends/backend.h"
#include "core/backends/gpu_runtime.h"

namespace dasgd {

// The backend's own fields of [cluster].
struct GpuParams {
    std::int64_t ranksPerGpu = 1;
    std::string commPriority = "high";
    std::int64_t ncclChannels = 0;
    bool mixedGpus = false;
    void visit(auto&& f) {
        f(ranksPerGpu, "ranks_per_gpu",
          {.min = 1, .max = 64, .unit = "ranks", .help = "Ranks that share a GPU; more than one needs NCCL 2.30"});
        f(commPriority, "comm_priority",
          {.help = "Priority of the communication streams beside the compute stream", .choices = {"high", "low"}});
        f(ncclChannels, "nccl_channels",
          {.min = 0, .max = 64, .help = "Thread blocks that NCCL may take of a GPU; 0: NCCL chooses"});
        f(mixedGpus, "mixed_gpus", {.help = "Ranks may compute on GPUs of different kinds"});
    }
};

class GpuBackend : public Backend {
public:
    // `load` is called by open() and checkMachine(), each time.
    GpuBackend(GpuParams params, LoadGpuRuntime load) : params_(std::move(params)), load_(std::move(load)) {}

    [[nodiscard]] Layout layout(int ranks) const override;
    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override;
    [[nodiscard]] Result<std::string> checkMachine(const ClusterParams& cluster) const override;
    // A rank takes the GPU of its number on the host, ranks_per_gpu after one another the same one; where its process
    // sees a single GPU, that one. Errors, on every rank alike where all of them are concerned: see checkMachine; more
    // ranks on a GPU than ranks_per_gpu; NCCL does not connect.
    [[nodiscard]] Status prepareProcess() const override;
    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override;

private:
    [[nodiscard]] Result<int> gpuOf(const HostRequest& request, int gpus) const;
    // Tells NCCL through its environment that several ranks share a GPU.
    void setNcclEnvironment() const;
    [[nodiscard]] int channels() const;

    const GpuParams params_;
    const LoadGpuRuntime load_;
};

}  // namespace dasgd
