#include "experiments/run/host/hardware.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include "core/device/shared_library.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

std::string firstLine(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code code;
    for (fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code))
        entries.push_back(each->path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

// The leading number of "100000" or "200 Gb/sec (4X HDR)", times `unit`; nullopt where it is none above 0.
std::optional<double> rateOf(const std::string& text, double unit) {
    double number = 0;
    std::istringstream in(text);
    if (!(in >> number) || number <= 0) return std::nullopt;
    return number * unit;
}

std::optional<storage::HardwarePart> ethernet(const fs::path& folder) {
    constexpr const char* kLoopback = "772";  // ARPHRD_LOOPBACK of <linux/if_arp.h>
    std::error_code code;
    if (!fs::is_directory(folder, code) || firstLine(folder / "type") == kLoopback) return std::nullopt;
    if (firstLine(folder / "operstate") != "up") return std::nullopt;
    storage::HardwarePart part{.kind = storage::kNic, .name = folder.filename().string()};
    if (fs::exists(folder / "device", code)) part.bitsPerS = rateOf(firstLine(folder / "speed"), 1e6);
    return part;
}

void addInfiniband(const fs::path& adapter, std::vector<storage::HardwarePart>& parts) {
    for (const fs::path& port : entriesOf(adapter / "ports")) {
        if (firstLine(port / "state").find("ACTIVE") == std::string::npos) continue;
        parts.push_back({.kind = storage::kNic,
                         .name = adapter.filename().string() + " port " + port.filename().string(),
                         .bitsPerS = rateOf(firstLine(port / "rate"), 1e9)});
    }
}

}  // namespace

std::vector<storage::HardwarePart> gpusOf(const Nvml& nvml) {
    if (nvml.init() != 0) return {};
    std::vector<storage::HardwarePart> parts;
    unsigned int count = 0;
    if (nvml.count(&count) != 0) count = 0;
    for (unsigned int index = 0; index < count; ++index) {
        void* device = nullptr;
        std::array<char, 96> name{};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
        if (nvml.handle(index, &device) != 0) continue;
        if (nvml.name(device, name.data(), static_cast<unsigned int>(name.size())) != 0) continue;
        storage::HardwarePart part{.kind = storage::kGpu, .name = name.data()};
        Nvml::Memory memory{};
        if (nvml.memory(device, &memory) == 0) part.memoryBytes = static_cast<double>(memory.total);
        parts.push_back(std::move(part));
    }
    nvml.shutdown();
    return parts;
}

std::optional<Nvml> loadNvml(const std::string& library) {
    auto opened = SharedLibrary::open(library);
    if (!opened) return std::nullopt;
    Nvml nvml;
    opened->take(nvml.init, "nvmlInit_v2");
    opened->take(nvml.shutdown, "nvmlShutdown");
    opened->take(nvml.count, "nvmlDeviceGetCount_v2");
    opened->take(nvml.handle, "nvmlDeviceGetHandleByIndex_v2");
    opened->take(nvml.name, "nvmlDeviceGetName");
    opened->take(nvml.memory, "nvmlDeviceGetMemoryInfo");
    if (!opened->missing().empty()) return std::nullopt;
    opened->take(nvml.utilization, "nvmlDeviceGetUtilizationRates");
    opened->take(nvml.power, "nvmlDeviceGetPowerUsage");
    opened->take(nvml.temperature, "nvmlDeviceGetTemperature");
    opened->take(nvml.fields, "nvmlDeviceGetFieldValues");
    return nvml;
}

std::vector<storage::HardwarePart> gpus(const std::string& library) {
    const std::optional<Nvml> nvml = loadNvml(library);
    return nvml ? gpusOf(*nvml) : std::vector<storage::HardwarePart>{};
}

std::vector<storage::HardwarePart> networkInterfaces(const fs::path& sys) {
    std::vector<storage::HardwarePart> parts;
    for (const fs::path& folder : entriesOf(sys / "class/net")) {
        if (auto part = ethernet(folder)) parts.push_back(std::move(*part));
    }
    for (const fs::path& adapter : entriesOf(sys / "class/infiniband")) addInfiniband(adapter, parts);
    return parts;
}

std::vector<storage::HardwarePart> hardware() {
    std::vector<storage::HardwarePart> parts = gpus();
    for (storage::HardwarePart& part : networkInterfaces()) parts.push_back(std::move(part));
    return parts;
}

}  // namespace dasgd::experiments
