// GPUs and network interfaces of the host that recorded a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dasgd::storage {

struct HardwarePart {
    std::string kind;  // kGpu, kNic
    std::string name;
    std::optional<double> bitsPerS;     // bandwidth of a network interface, as its driver states it
    std::optional<double> memoryBytes;  // memory of a GPU
    bool operator==(const HardwarePart&) const = default;
};

inline constexpr const char* kGpu = "gpu";
inline constexpr const char* kNic = "nic";

// "8 × NVIDIA H200, 150.8 GB", "eth0 25 Gbit/s, ib0 400 Gbit/s": the parts of a kind in their order, equal ones that
// follow one another counted; "" where there is none.
[[nodiscard]] std::string hardwareText(const std::vector<HardwarePart>& parts, const std::string& kind);

}  // namespace dasgd::storage
