#include "experiments/run/host/infiniband.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

namespace dasgd::experiments {

namespace fs = std::filesystem;

namespace {

// Counters are of four bytes each (Linux, Documentation/ABI/stable/sysfs-class-infiniband, port_xmit_data).
constexpr double kBytesOfACount = 4;

std::optional<double> bytesIn(const fs::path& file) {
    double count = 0;
    if (!(std::ifstream(file) >> count)) return std::nullopt;
    return count * kBytesOfACount;
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        found.push_back(at->path());
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace

std::vector<InfinibandUse> useOfInfiniband(const fs::path& folder) {
    std::vector<InfinibandUse> uses;
    for (const fs::path& adapter : foldersIn(folder)) {
        for (const fs::path& port : foldersIn(adapter / "ports")) {
            const auto sent = bytesIn(port / "counters/port_xmit_data");
            const auto received = bytesIn(port / "counters/port_rcv_data");
            if (!sent || !received) continue;
            uses.push_back({adapter.filename().string() + ":" + port.filename().string(), *sent, *received});
        }
    }
    return uses;
}

}  // namespace dasgd::experiments
