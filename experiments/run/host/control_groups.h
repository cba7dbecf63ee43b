// The control groups of Linux that this process is in: what they leave it of a host.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dasgd::experiments {

// Where the kernel tells of them.
struct ControlGroupFiles {
    std::filesystem::path own = "/proc/self/cgroup", root = "/sys/fs/cgroup";
};

// The folders of this process's groups for `controller` ("memory"), its own first and then those above, whose limits
// hold for it too: of the unified hierarchy, and of the controller's own one where version 1 is mounted. A container
// may be told its path on the host: that group has no files here, the one above all does.
[[nodiscard]] std::vector<std::filesystem::path> controlGroups(const std::string& controller,
                                                               const ControlGroupFiles& files = {});

// The least of what they leave, nullopt where none has a limit. Bytes, with those of the page cache, which the kernel
// gives back; processes and threads; of how many cores the time.
[[nodiscard]] std::optional<double> memoryLeft(const ControlGroupFiles& files = {});
[[nodiscard]] std::optional<double> threadsLeft(const ControlGroupFiles& files = {});
[[nodiscard]] std::optional<double> cpuQuota(const ControlGroupFiles& files = {});

}  // namespace dasgd::experiments
