// The [cluster] of an experiment: what all backends have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/backends/layout.h"
#include "core/base/schema/fields.h"
#include "core/sim/network/network.h"

namespace dasgd {

// Parameters of the emulated link.
struct LinkParams : LinkSpec {
    LinkParams() : LinkSpec{.bandwidth = "1Gbps", .latency = "0ms"} {}
    void visit(auto&& f) {
        f(bandwidth, "bandwidth", {.help = "Bandwidth of the emulated link, as 200Mbps, 1.5Gbps"});
        f(latency, "latency", {.help = "Latency of one message, as 1ms, 50us"});
    }
};

// Marks a run that was resumed with another number of workers than it began with: it is a configuration of its own.
struct WorkersBefore {
    std::int64_t workers = 1;
    void visit(auto&& f) { f(workers, "workers", {.min = 1, .max = 4096, .help = "How many ranks it had"}); }
};

struct ClusterParams {
    std::string backend = "gloo";
    std::int64_t workers = 2;
    std::int64_t stages = 1;
    std::int64_t threadsPerWorker = 1;
    double timeoutS = 60;
    std::optional<LinkParams> link;
    std::optional<WorkersBefore> before;
    void visit(auto&& f) {
        f(backend, "backend", {.help = backendSummaries(), .choices = backendNames()});
        f(workers, "workers", {.min = 1, .max = 4096, .symbol = "P", .help = "Number of ranks"});
        f(stages, "stages",
          {.min = 1,
           .max = 4096,
           .symbol = "K",
           .help =
               "Ranks over which each replica of the model is cut, in sequence: rank r has stage r mod K of replica "
               "r / K. They divide workers; the algorithms pipeline, fdg and dsp_layers take more than 1"});
        f(threadsPerWorker, "threads_per_worker",
          {.min = 1, .max = 1024, .unit = "threads", .help = "Compute threads of a rank"});
        f(timeoutS, "timeout_s",
          {.min = 0, .max = 86400, .minOpen = true, .unit = "s", .help = "Deadline of one communication"});
        f(link, "link", {.help = "Slows every collective down to this emulated link"});
        f(before, "before",
          {.help = "Set in a run that `dasgd resume --workers` resumed with another number of workers"});
    }
    [[nodiscard]] int ranks() const { return static_cast<int>(workers); }
    // Deadline of one communication.
    [[nodiscard]] std::chrono::milliseconds deadline() const {
        return std::chrono::milliseconds(static_cast<std::int64_t>(timeoutS * 1e3));
    }
};

}  // namespace dasgd
