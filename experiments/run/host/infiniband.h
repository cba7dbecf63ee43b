// Reads the traffic of a host's InfiniBand and RoCE ports. No network interface counts it, because NCCL bypasses the
// kernel.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dasgd::experiments {

struct InfinibandUse {
    std::string port;                         // "mlx5_0:1", as NCCL_IB_HCA names it
    double sentBytes = 0, receivedBytes = 0;  // since the port was started, headers left out
};

inline constexpr const char* kInfinibandFolder = "/sys/class/infiniband";

// Traffic of every port that has counters, by name; empty if there is no such folder.
[[nodiscard]] std::vector<InfinibandUse> useOfInfiniband(const std::filesystem::path& folder = kInfinibandFolder);

}  // namespace dasgd::experiments
