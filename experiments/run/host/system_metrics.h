// Records CPU, memory, network and GPU use of a run's processes and of their host. Read from /proc, /sys and NVML once
// a second by the launcher, or by a second thread of a worker that was started by hand.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "experiments/run/host/gpu_meter.h"
#include "experiments/run/host/infiniband.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

// Use of a process or a host: counters since its start, or present values.
struct SystemUse {
    double cpuSeconds = 0;
    double memoryBytes = 0;
};
// Nullopt where there is no such process (any more).
[[nodiscard]] std::optional<SystemUse> useOfProcess(int process);
// All processors together; memory that is not available to new programs.
[[nodiscard]] std::optional<SystemUse> useOfHost();
// Bytes since the host started.
struct NetworkUse {
    double sentBytes = 0, receivedBytes = 0;
};
[[nodiscard]] std::optional<NetworkUse> useOfInterface(const std::string& name);

// One thread.
class SystemMetrics {
public:
    static constexpr Ns kPeriod = 1'000'000'000;

    struct Watched {
        int rank = 0;  // −1: all ranks of the run
        int process = 0;
    };
    enum class Host { Watched, LeftOut };
    // The network is the host's, too, and so are the GPUs, whoever uses them; none without `nvml`.
    SystemMetrics(std::vector<Watched> watched, std::string interface, Host host = Host::Watched,
                  const std::optional<Nvml>& nvml = loadNvml(), std::filesystem::path infiniband = kInfinibandFolder)
        : watched_(std::move(watched)),
          interface_(std::move(interface)),
          host_(host),
          infiniband_(std::move(infiniband)) {
        if (host == Host::Watched && nvml) gpus_.emplace(*nvml);
    }

    // Records what was used since the last time, once a period is over. `now`: raw CLOCK_MONOTONIC; `wall`: the same on
    // the run's time line; `step`: how many steps all ranks have completed, −1: as far as the rank's records go. The
    // first call only looks.
    void sample(Ns now, Ns wall, std::int64_t step, storage::Recorder& recorder);
    // Takes a sample whenever it is called.
    void take(Ns now, Ns wall, std::int64_t step, storage::Recorder& recorder);

private:
    // Under which the host's are recorded: the first of its ranks.
    [[nodiscard]] int hostRank() const { return watched_.empty() ? 0 : std::max(0, watched_.front().rank); }
    void takeGpus(double seconds, std::int64_t step, storage::Recorder& recorder);
    // Records how many of a counter's bytes came since the last time, a second.
    void count(const std::string& name, double bytes, double seconds, std::int64_t step, storage::Recorder& recorder);
    void record(storage::Recorder& recorder, int rank, const std::string& name, std::int64_t step, double value) const;

    std::vector<Watched> watched_;
    std::string interface_;
    Host host_;
    Ns before_ = 0;                     // instant of the previous sample, to which the numbers below belong
    std::map<int, double> cpuSeconds_;  // by process
    std::optional<double> hostCpuSeconds_;
    std::optional<NetworkUse> network_;
    std::optional<GpuMeter> gpus_;
    std::filesystem::path infiniband_;
    std::map<std::string, double> counted_;  // counters of GPUs and InfiniBand, by metric
    Ns wall_ = 0;
};

// Takes them from a thread of its own, at each whole second of the run's time line, so that ranks that know nothing of
// each other record the same instants. Clock and recorder must outlive it.
class SystemWatch {
public:
    SystemWatch(SystemMetrics metrics, const Clock& clock, storage::Recorder& recorder);

private:
    std::jthread thread_;
};

}  // namespace dasgd::experiments
