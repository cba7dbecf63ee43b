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
// hold for it too: of the unified hierarchy, and of the controller's own one where version 1 is mounted. One that is
// not to be seen from inside a container is among them, and has no files.
[[nodiscard]] std::vector<std::filesystem::path> controlGroups(const std::string& controller,
                                                               const ControlGroupFiles& files = {});

// The least of what they leave, nullopt where none has a limit. Bytes, of which the page cache can be had; processes
// and threads; how many cores' time.
[[nodiscard]] std::optional<double> memoryLeft(const ControlGroupFiles& files = {});
[[nodiscard]] std::optional<double> threadsLeft(const ControlGroupFiles& files = {});
[[nodiscard]] std::optional<double> cpuQuota(const ControlGroupFiles& files = {});

}  // namespace dasgd::experiments
