// Lists the GPUs and network interfaces of this host.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "storage/runs/hardware.h"

namespace dasgd::experiments {

// The part of NVIDIA's management library that is used (NVML API reference, "Device Queries"); every function returns
// 0 where it succeeds. Its header is not needed.
struct Nvml {
    struct Memory {
        unsigned long long total, free, used;  // bytes
    };
    struct Utilization {
        unsigned int gpu, memory;  // percent of the time
    };
    struct Field {
        unsigned int id, scope;
        long long timestampUs, latencyUs;
        int type;    // kUnsignedInt, …: which of the values below is meant
        int status;  // 0: there is a value
        union {
            double ofDouble;
            unsigned int ofUnsignedInt;
            unsigned long ofUnsignedLong;
            unsigned long long ofUnsignedLongLong;
        };
    };
    static constexpr int kDouble = 0, kUnsignedInt = 1, kUnsignedLong = 2, kUnsignedLongLong = 3;
    static constexpr unsigned int kNvlinkSentKib = 138, kNvlinkReceivedKib = 139, kPcieSent = 197, kPcieReceived = 198;
    static constexpr unsigned int kAllLinks = ~0U;  // a scope

    std::function<int()> init;
    std::function<int()> shutdown;
    std::function<int(unsigned int* devices)> count;
    std::function<int(unsigned int index, void** device)> handle;
    std::function<int(void* device, char* text, unsigned int length)> name;
    std::function<int(void* device, Memory* memory)> memory;
    // Empty where the library has none.
    std::function<int(void* device, Utilization* utilization)> utilization;
    std::function<int(void* device, unsigned int* milliwatts)> power;
    std::function<int(void* device, int sensor, unsigned int* celsius)> temperature;  // sensor 0: the GPU's
    std::function<int(void* device, int fields, Field* values)> fields;
};

// Nullopt where there is no such library.
[[nodiscard]] std::optional<Nvml> loadNvml(const std::string& library = "libnvidia-ml.so.1");

// By index; none where the library does not start, and none in place of a GPU that does not tell its name.
[[nodiscard]] std::vector<storage::HardwarePart> gpusOf(const Nvml& nvml);
// Through the library of that name; none where there is none.
[[nodiscard]] std::vector<storage::HardwarePart> gpus(const std::string& library = "libnvidia-ml.so.1");

// Interfaces that are up, by name: those of class/net but loopback, then the ports of class/infiniband. A virtual
// interface has no rate: what its driver states is no property of a link.
[[nodiscard]] std::vector<storage::HardwarePart> networkInterfaces(const std::filesystem::path& sys = "/sys");

// GPUs, then network interfaces.
[[nodiscard]] std::vector<storage::HardwarePart> hardware();

}  // namespace dasgd::experiments
