// What the processes of a run and their host use while it goes on: CPU, memory, network. Read by the launcher from
// /proc and /sys, once a second; no rank is asked.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

// What a process or a host has used since it began, or has at present.
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
    // `clockOrigin`: raw CLOCK_MONOTONIC of the run's instant 0.
    SystemMetrics(std::vector<Watched> watched, std::string interface, Ns clockOrigin)
        : watched_(std::move(watched)), interface_(std::move(interface)), clockOrigin_(clockOrigin) {}

    // Records what was used since the last time, once a period is over; `step`: how many steps all ranks have
    // completed. The first call only looks.
    void sample(Ns now, std::int64_t step, storage::Recorder& recorder);

private:
    void record(storage::Recorder& recorder, int rank, const char* name, std::int64_t step, double value) const;

    std::vector<Watched> watched_;
    std::string interface_;
    Ns clockOrigin_;
    Ns before_ = 0;                     // of what follows
    std::map<int, double> cpuSeconds_;  // by process
    std::optional<double> hostCpuSeconds_;
    std::optional<NetworkUse> network_;
    Ns now_ = 0;
};

}  // namespace dasgd::experiments
