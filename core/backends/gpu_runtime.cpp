#include "core/backends/gpu_runtime.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/comm/nccl/nccl_library.h"
#include "core/gpu/tensor_device_library.h"

namespace dasgd {

namespace {

// Number for a message: "4 ranks".
std::string ranksText(int ranks) { return ranks == 1 ? "one rank" : std::to_string(ranks).append(" ranks"); }

Status enoughGpus(int found, const GpuDemand& demand) {
    if (demand.gpus() <= found) return {};
    const int workers = found * demand.ranksPerGpu;
    const int together = (demand.ranks + found - 1) / found;
    return fail(ranksText(demand.ranks)
                    .append(" need ")
                    .append(countOfGpus(static_cast<std::size_t>(demand.gpus())))
                    .append(" with ranks_per_gpu = ")
                    .append(std::to_string(demand.ranksPerGpu))
                    .append(", and ")
                    .append(countOfGpus(static_cast<std::size_t>(found)))
                    .append(" can be used here: set workers = ")
                    .append(std::to_string(workers))
                    .append(" or ranks_per_gpu = ")
                    .append(std::to_string(together))
                    .append(" in [cluster], or show more of them (CUDA_VISIBLE_DEVICES)"));
}

Status sameGpus(const std::vector<DeviceFacts>& gpus, const GpuDemand& demand) {
    std::vector<std::string> names;
    for (int i = 0; i < demand.gpus(); ++i) names.push_back(gpus[static_cast<std::size_t>(i)].name);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.size() <= 1 || demand.mixed) return {};
    return tl::unexpected(mixedGpus(names));
}

}  // namespace

std::string countOfGpus(std::size_t gpus) { return gpus == 1 ? "one GPU" : std::to_string(gpus).append(" GPUs"); }

Error mixedGpus(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return {"the GPUs differ (" + list +
            "), so ranks would wait for the slowest of them: choose equal ones with CUDA_VISIBLE_DEVICES, or set "
            "mixed_gpus = true in [cluster]"};
}

Result<GpuRuntime> loadGpuRuntime() {
    GpuRuntime runtime;
    runtime.load = []() -> Status {
        DASGD_ASSIGN(const auto module, tensorDeviceModule());
        return loadTensorDeviceModule(module);
    };
    runtime.open = openTensorDevice;
    auto device = loadDeviceApi();
    // Without a driver nothing else can be checked.
    if (device) {
        if (const auto usable = usableDevices(*device); !usable) return tl::unexpected(usable.error());
    }
    auto nccl = loadNccl();
    if (device && nccl) {
        runtime.device = std::move(*device);
        runtime.nccl = std::move(*nccl);
        return runtime;
    }
    std::string missing;
    if (!device) missing = device.error().message;
    if (!nccl) missing += (missing.empty() ? "" : " Also, ") + nccl.error().message;
    return fail(std::move(missing));
}

Result<std::vector<DeviceFacts>> checkGpus(const GpuRuntime& runtime, const GpuDemand& demand) {
    DASGD_ASSIGN(auto gpus, describeDevices(runtime.device));
    DASGD_TRY(checkNccl(runtime.nccl, demand.ranksPerGpu));
    DASGD_TRY(enoughGpus(static_cast<int>(gpus.size()), demand));
    DASGD_TRY(sameGpus(gpus, demand));
    return gpus;
}

std::string describeGpus(const GpuRuntime& runtime, const std::vector<DeviceFacts>& gpus) {
    std::vector<std::string> names;
    for (const DeviceFacts& gpu : gpus) {
        if (std::ranges::find(names, gpu.name) == names.end()) names.push_back(gpu.name);
    }
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    int driver = 0, nccl = 0;
    const bool shares = checkNccl(runtime.nccl, 2).has_value();
    runtime.device.driverVersion(&driver);
    runtime.nccl.version(&nccl);
    return countOfGpus(gpus.size())
        .append(" (")
        .append(list)
        .append("), driver for CUDA ")
        .append(cudaVersionText(driver))
        .append(", NCCL ")
        .append(ncclVersionText(nccl))
        .append(shares ? ", which can have several ranks on one GPU" : ", one rank a GPU")
        .append(shares && !multiProcessServiceRuns() ? std::string(", by turns (") + kByTurns + ")" : "");
}

bool multiProcessServiceRuns() {
    const char* folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    std::error_code code;
    return std::filesystem::exists(std::filesystem::path(folder ? folder : "/tmp/nvidia-mps") / "control", code);
}

}  // namespace dasgd
