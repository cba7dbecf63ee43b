#include "experiments/run/host/host_room.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "experiments/base/text.h"
#include "experiments/config/document.h"
#include "experiments/run/host/control_groups.h"
#include "experiments/run/host/limits.h"

namespace dasgd::experiments {

namespace {

// Private memory and threads of a rank's process with a model of two weights, over Gloo on two hosts of x86-64: 64 MB,
// of which the estimate takes a little less.
constexpr double kProcessBytes = 60e6;
constexpr std::int64_t kProcessThreads = 4;

// "MemAvailable:   22510792 kB".
std::optional<double> availableMemory() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string name;
        double kib = 0;
        if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
    }
    return std::nullopt;
}

// The limit of the user, who is not root; what the user has already is not told in one place, and left out.
std::optional<double> userLimit() {
    rlimit limit{};
    if (::geteuid() == 0 || ::getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    return static_cast<double>(limit.rlim_cur);
}

struct Need {
    double processes = 0, ranks = 0;  // numbers of processes and ranks
    double eachProcess = kProcessBytes, eachRank = 0;
    [[nodiscard]] double memory() const { return processes * eachProcess + ranks * eachRank; }
    // How many ranks would fit into `memory`, each in a process of its own or all in one.
    [[nodiscard]] std::int64_t ranksIn(double memory) const {
        const double own = processes > 1 ? eachProcess : 0;
        const double shared = processes > 1 ? 0 : eachProcess;
        return static_cast<std::int64_t>(std::max(0.0, (memory - shared) / std::max(own + eachRank, 1.0)));
    }
};

// `whose`: "cluster.workers is 4, "; `remedy`: "; put fewer …", or "".
Status fits(const Need& need, const HostRoom& room, const std::string& whose, const std::string& remedy) {
    if (room.memory && need.memory() > *room.memory) {
        return fail(whose + "which takes " + byteCount(need.memory()) + " of memory at the least; " +
                    byteCount(*room.memory) + " are free on this host, room for about " +
                    std::to_string(need.ranksIn(*room.memory)) + " ranks" + remedy);
    }
    const std::int64_t threads = static_cast<std::int64_t>(need.processes) * kProcessThreads;
    if (room.threads && need.processes > 1 && threads > *room.threads) {
        return fail(whose + "each a process of " + std::to_string(kProcessThreads) + " threads; this user may start " +
                    std::to_string(*room.threads) + ", room for " + std::to_string(*room.threads / kProcessThreads) +
                    " ranks" + remedy);
    }
    return {};
}

}  // namespace

HostRoom hostRoom() {
    HostRoom room;
    room.memory = smallest({availableMemory(), memoryLeft()});
    const auto threads = smallest({amountIn("/proc/sys/kernel/threads-max"), userLimit(), threadsLeft()});
    if (threads) room.threads = static_cast<std::int64_t>(*threads);
    return room;
}

std::optional<double> bytesOfRank(const CheckedExperiment& experiment) {
    if (experiment.layout.onGpus) return std::nullopt;
    // Where nothing is computed, nothing is evaluated and ranks have no weights.
    if (experiment.evalEvery <= 0) return 0;
    return 2 * weightBytes(experiment.resolved) * static_cast<double>(experiment.parameters);
}

Status checkRoom(const CheckedExperiment& experiment, const HostRoom& room) {
    const std::optional<double> each = bytesOfRank(experiment);
    if (!each) return {};
    const Need need{.processes = static_cast<double>(experiment.layout.processes.size()),
                    .ranks = static_cast<double>(experiment.workers),
                    .eachRank = *each};
    const char* const remedy =
        need.processes > 1 ? "; ranks that are threads (backend = \"threads\") or simulated (\"virtual\") need less"
                           : "";
    return fits(need, room, "cluster.workers is " + std::to_string(experiment.workers) + ", ", remedy);
}

Status checkRoomHere(int here, int workers, double bytesOfRank, const HostRoom& room) {
    const auto ranks = static_cast<double>(here);
    return fits(
        {.processes = ranks, .ranks = ranks, .eachRank = bytesOfRank}, room,
        "cluster.workers is " + std::to_string(workers) + ", " + std::to_string(here) + " of them on this host, ",
        "; put fewer on each host (ranks_per_host)");
}

}  // namespace dasgd::experiments
