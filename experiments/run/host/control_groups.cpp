#include "experiments/run/host/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "experiments/run/host/limits.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

// The lines of memory.stat that say so: version 1 counts a group's own alone under the short names.
double pageCache(const fs::path& group) {
    double own = 0, total = 0;
    bool isTotal = false;
    std::ifstream in(group / "memory.stat");
    std::string name;
    for (double bytes = 0; in >> name >> bytes;) {
        if (name == "active_file" || name == "inactive_file") own += bytes;
        if (name != "total_active_file" && name != "total_inactive_file") continue;
        total += bytes;
        isTotal = true;
    }
    return isTotal ? total : own;
}

std::optional<double> left(const fs::path& limitFile, const fs::path& usedFile, double reclaimable) {
    const auto limit = amountIn(limitFile), used = amountIn(usedFile);
    if (!limit || !used) return std::nullopt;
    return std::max(0.0, *limit - std::max(0.0, *used - reclaimable));
}

std::optional<double> quotaOf(const fs::path& group) {
    double time = -1, period = 0;
    // "150000 100000", or "max 100000".
    if (std::ifstream both(group / "cpu.max"); both >> time >> period && period > 0) return time / period;
    const auto own = amountIn(group / "cpu.cfs_quota_us"), of = amountIn(group / "cpu.cfs_period_us");
    return own && of && *of > 0 ? std::optional(*own / *of) : std::nullopt;
}

// Some systems tell the names of controllers in another order than they have mounted them under; each also has a link
// of its own. Beside version 1 the unified hierarchy is in a folder of its own.
fs::path rootOf(const std::string& controllers, const std::string& controller, const fs::path& root) {
    std::error_code ignored;
    const fs::path mounted = root / (controllers.empty() ? "unified" : controllers);
    if (fs::is_directory(mounted, ignored)) return mounted;
    return controllers.empty() ? root : root / controller;
}

}  // namespace

std::vector<fs::path> controlGroups(const std::string& controller, const ControlGroupFiles& files) {
    std::vector<fs::path> groups;
    std::ifstream in(files.own);
    // "0::/user.slice/…", and of version 1 "4:cpu,cpuacct:/docker/…".
    for (std::string line; std::getline(in, line);) {
        const auto names = line.find(':'), path = line.find(':', names + 1);
        if (names == std::string::npos || path == std::string::npos) continue;
        const std::string controllers = line.substr(names + 1, path - names - 1);
        std::istringstream each(controllers);
        bool ours = controllers.empty();
        for (std::string name; std::getline(each, name, ',');) ours = ours || name == controller;
        if (!ours) continue;
        const fs::path root = rootOf(controllers, controller, files.root);
        fs::path group = fs::path(line.substr(path + 1)).relative_path();
        for (; !group.empty(); group = group.parent_path()) groups.push_back(root / group);
        groups.push_back(root);
    }
    return groups;
}

namespace {

template <class Of>
std::optional<double> leastOf(const char* controller, const ControlGroupFiles& files, Of of) {
    std::optional<double> least;
    for (const fs::path& group : controlGroups(controller, files)) least = smallest({least, of(group)});
    return least;
}

}  // namespace

std::optional<double> memoryLeft(const ControlGroupFiles& files) {
    return leastOf("memory", files, [](const fs::path& group) {
        const double cache = pageCache(group);
        return smallest({left(group / "memory.max", group / "memory.current", cache),
                         left(group / "memory.limit_in_bytes", group / "memory.usage_in_bytes", cache)});
    });
}

std::optional<double> threadsLeft(const ControlGroupFiles& files) {
    return leastOf("pids", files,
                   [](const fs::path& group) { return left(group / "pids.max", group / "pids.current", 0); });
}

std::optional<double> cpuQuota(const ControlGroupFiles& files) { return leastOf("cpu", files, quotaOf); }

}  // namespace dasgd::experiments
