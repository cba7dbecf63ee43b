#include "experiments/run/record/provenance.h"

#include <gloo/config.h>
#include <sched.h>
#include <sys/utsname.h>
#include <torch/headeronly/version.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/host_name.h"
#include "experiments/base/build_id.h"
#include "experiments/base/text.h"
#include "experiments/run/host/control_groups.h"
#include "experiments/run/host/hardware.h"
#include "experiments/run/record/repository.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

std::string cpuModel() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(':');
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    utsname kernel{};
    ::uname(&kernel);
    return kernel.machine;
}

std::string coresInWords(int own, long all, std::optional<double> quota) {
    std::ostringstream text;
    text << own;
    if (own < all) text << " of " << all;
    text << " cores to use";
    if (quota && *quota < own) text << " for the time of " << std::round(*quota * 100) / 100;
    return text.str();
}

std::string machineInWords() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    return cpuModel() + ", " + coresInWords(CPU_COUNT(&allowed), ::sysconf(_SC_NPROCESSORS_ONLN), cpuQuota()) + ", " +
           byteCount(memory) + " memory";
}

std::string versionsJson() {
    utsname kernel{};
    ::uname(&kernel);
    constexpr std::size_t kEnough = 12;  // of a build's name, to tell it from others
    // Gloo itself is inside LibTorch; what is compiled here are Debian's headers of it.
    const nlohmann::json versions = {
        {"dasgd", DASGD_VERSION ", build " + buildId().substr(0, kEnough)},
        {"LibTorch", TORCH_VERSION},
        {"Gloo headers", std::to_string(GLOO_VERSION_MAJOR) + "." + std::to_string(GLOO_VERSION_MINOR) + "." +
                             std::to_string(GLOO_VERSION_PATCH)},
        {"SQLite", storage::sqliteVersion()},
        {"zlib", ::zlibVersion()},
        {"compiler", "g++ " __VERSION__},
        {"kernel", std::string(kernel.sysname) + " " + kernel.release}};
    return versions.dump();
}

Provenance collectProvenance(const std::filesystem::path& near) {
    Provenance out;
    out.host = hostName();
    out.cpu = machineInWords();
    out.hardware = hardware();
    out.versions = versionsJson();
    for (const std::filesystem::path& folder : {near, std::filesystem::path(".")}) {
        const auto commit = folder.empty() ? std::nullopt : commitIn(folder);
        if (!commit) continue;
        UncommittedChanges changes = uncommittedIn(folder);
        out.gitCommit = *commit;
        out.gitDirty = changes.any;
        out.gitDirtyDiff = std::move(changes.diff);
        break;
    }
    return out;
}

}  // namespace dasgd::experiments
