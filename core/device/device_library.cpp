#include "core/device/device_library.h"

#include <cstring>
#include <memory>

#include "core/device/shared_library.h"

namespace dasgd {

std::string cudaVersionText(int version) {
    return std::to_string(version / 1000).append(".").append(std::to_string(version % 1000 / 10));
}

Result<DeviceApi> loadDeviceApi(const std::string& library) {
    auto opened = SharedLibrary::open(library);
    if (!opened) {
        return fail(std::string("the CUDA runtime cannot be loaded (") + opened.error().message +
                    "). It comes with LibTorch's CUDA dependencies: install torch with pip and without --no-deps.");
    }
    DeviceApi api;
    opened->take(api.driverVersion, "cudaDriverGetVersion");
    opened->take(api.runtimeVersion, "cudaRuntimeGetVersion");
    opened->take(api.deviceCount, "cudaGetDeviceCount");
    opened->take(api.properties, "cudaGetDeviceProperties");
    opened->take(api.setDevice, "cudaSetDevice");
    opened->take(api.streamPriorities, "cudaDeviceGetStreamPriorityRange");
    opened->take(api.streamCreate, "cudaStreamCreateWithPriority");
    opened->take(api.streamDestroy, "cudaStreamDestroy");
    opened->take(api.streamWaitEvent, "cudaStreamWaitEvent");
    opened->take(api.eventCreate, "cudaEventCreateWithFlags");
    opened->take(api.eventDestroy, "cudaEventDestroy");
    opened->take(api.eventRecord, "cudaEventRecord");
    opened->take(api.eventQuery, "cudaEventQuery");
    opened->take(api.eventElapsed, "cudaEventElapsedTime");
    opened->take(api.errorText, "cudaGetErrorString");
    opened->take(api.takeError, "cudaGetLastError");
    if (opened->missing().empty()) return api;
    return fail(library + " is no CUDA runtime that can be used: it has no " + opened->missing() +
                ". Version 13 is needed.");
}

Result<int> usableDevices(const DeviceApi& api) {
    int driver = 0, runtime = 0, count = 0;
    if (api.driverVersion(&driver) != DeviceApi::kSuccess || driver == 0) {
        return fail("this machine has no NVIDIA driver: install one, or train on the CPU with backend = \"gloo\"");
    }
    api.runtimeVersion(&runtime);
    const int error = api.deviceCount(&count);
    if (error == DeviceApi::kInsufficientDriver) {
        return fail(std::string("the NVIDIA driver is made for CUDA ")
                        .append(cudaVersionText(driver))
                        .append(", this program for CUDA ")
                        .append(cudaVersionText(runtime))
                        .append(": install a newer driver"));
    }
    if (error == DeviceApi::kNoDevice || (error == DeviceApi::kSuccess && count == 0)) {
        return fail("the NVIDIA driver shows no GPU: is CUDA_VISIBLE_DEVICES empty, or none given to this job?");
    }
    if (error != DeviceApi::kSuccess) return fail(std::string("the GPUs cannot be counted: ") + api.errorText(error));
    return count;
}

Result<std::vector<DeviceFacts>> describeDevices(const DeviceApi& api) {
    DASGD_ASSIGN(const int count, usableDevices(api));
    std::vector<DeviceFacts> all;
    for (int index = 0; index < count; ++index) {
        const auto found = std::make_unique<DeviceProperties>();
        if (const int error = api.properties(found.get(), index); error != DeviceApi::kSuccess) {
            return fail(std::string("GPU ")
                            .append(std::to_string(index))
                            .append(" does not say what it is: ")
                            .append(api.errorText(error))
                            .append("; nvidia-smi tells more"));
        }
        all.push_back({std::string(found->name, ::strnlen(found->name, sizeof found->name)),
                       std::string(found->uuid, sizeof found->uuid)});
    }
    return all;
}

}  // namespace dasgd
