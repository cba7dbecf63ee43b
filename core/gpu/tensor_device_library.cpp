#include "core/gpu/tensor_device_library.h"

#include <ATen/Context.h>

#include <system_error>

#include "core/device/device_library.h"
#include "core/device/shared_library.h"
#include "core/gpu/module_entry.h"

namespace dasgd {

namespace fs = std::filesystem;

namespace {

std::string countText(int devices) { return devices == 1 ? "1 GPU" : std::to_string(devices) + " GPUs"; }

Result<std::function<ModuleEntry>> entryOf(const fs::path& module) {
    if (std::error_code code; !fs::exists(module, code)) {
        return fail(module.string() + " is not there: it is built and packed with the program, and belongs beside it");
    }
    auto opened = SharedLibrary::open(module.string());
    if (!opened) {
        return fail(std::string("LibTorch's CUDA libraries cannot be loaded (") + opened.error().message +
                    "). They come with torch, where it is installed with its dependencies: pip install torch==2.11.0, "
                    "without --no-deps.");
    }
    std::function<ModuleEntry> entry;
    opened->take(entry, kModuleEntry);
    if (!opened->missing().empty()) return fail(module.string() + " has no " + opened->missing());
    return entry;
}

}  // namespace

Result<fs::path> tensorDeviceModule() {
    std::error_code code;
    const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path();
    for (const fs::path& candidate : {folder, folder.parent_path() / "lib", folder.parent_path()}) {
        if (fs::path module = candidate / kTensorDeviceModule; fs::exists(module, code)) return module;
    }
    return fail(std::string(kTensorDeviceModule) + " is not beside the program (" + folder.string() +
                "): build or unpack both together");
}

Status loadTensorDeviceModule(const fs::path& module) {
    DASGD_TRY(entryOf(module));
    return {};
}

Result<int> usableTensorDevices() {
    DASGD_TRY(tensorDeviceModule());
    DASGD_ASSIGN(const DeviceApi api, loadDeviceApi());
    return usableDevices(api);
}

Result<std::unique_ptr<TensorDevice>> openTensorDevice(int index) {
    DASGD_ASSIGN(const fs::path module, tensorDeviceModule());
    DASGD_ASSIGN(const DeviceApi api, loadDeviceApi());
    DASGD_ASSIGN(const int devices, usableDevices(api));
    if (index < 0 || index >= devices) {
        return fail("there is no GPU " + std::to_string(index) + ": this process sees " + countText(devices) +
                    ", counted from 0. Use fewer workers a host, or more of CUDA_VISIBLE_DEVICES");
    }
    DASGD_ASSIGN(const std::function<ModuleEntry> open, entryOf(module));
    if (!at::globalContext().hasCUDA()) {
        return fail(
            "LibTorch was asked for CUDA before its CUDA libraries were loaded, and stays without in this process");
    }
    std::string error;
    std::unique_ptr<TensorDevice> device(open(index, &error));
    if (!device) {
        return fail("GPU " + std::to_string(index) + " cannot be used: " + error +
                    " (nvidia-smi tells what else runs on it)");
    }
    return device;
}

}  // namespace dasgd
