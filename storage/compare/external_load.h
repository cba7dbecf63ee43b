// External load: processor time that other programs took on the hosts of a run, so that its times are not those of an
// idle machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/read/workspace_reader.h"

namespace dasgd::storage {

// Load of one host: means over the recorded seconds (`host/cpu_cores`, `process/cpu_cores`).
struct ExternalLoad {
    std::string host;   // "" where there is but one
    double ranks = 0;   // busy cores, of the run's ranks there
    double others = 0;  // load of all other processes: the launcher, a window that follows the run, other people's
    std::size_t seconds = 0;
    // Number of cores that the run might use; nullopt if that was not recorded or was not all cores of the host.
    std::optional<int> cores;
    // More than the launcher and a window take, on a host that had few cores to spare.
    [[nodiscard]] bool disturbs() const {
        return cores && others > kMostOfOwn * ranks && ranks + others > kMostOfCores * *cores;
    }
    static constexpr double kMostOfOwn = 0.2, kMostOfCores = 0.7;
};

// By host, in the order of their first ranks; none where time is simulated, where fewer than `kLeastSeconds` were
// recorded, and in runs of traces. Errors: of the database.
[[nodiscard]] Result<std::vector<ExternalLoad>> readExternalLoad(WorkspaceReader& reader, const RunRow& row);
inline constexpr std::int64_t kLeastSeconds = 3;

// "node1: 0.82 cores by other programs, beside the ranks' 1.95"
[[nodiscard]] std::string externalLoadText(const ExternalLoad& load);

}  // namespace dasgd::storage
