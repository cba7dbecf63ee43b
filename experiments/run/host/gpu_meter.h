// Reads the present load of this host's GPUs from NVIDIA's management library.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run/host/hardware.h"

namespace dasgd::experiments {

// Load of one GPU. Values that the GPU or the library does not report are absent.
struct GpuUse {
    int index = 0;  // in the library's order
    // utilization (0 to 1, of the last sampling period), memory_bytes, power_w, temperature_c.
    std::map<std::string, double> present;
    // nvlink_sent_bytes_per_s, …: bytes since the driver was loaded, from which that rate is formed.
    std::map<std::string, double> bytesSoFar;

    // "host/gpu0/power_w" of "power_w".
    [[nodiscard]] std::string metric(const std::string& what) const {
        return "host/gpu" + std::to_string(index) + "/" + what;
    }
};

// Move-only. One thread.
class GpuMeter {
public:
    // Where the library does not start there are no GPUs.
    explicit GpuMeter(Nvml nvml);

    // Load of each GPU that answers, by index. Takes milliseconds.
    [[nodiscard]] std::vector<GpuUse> read() const;

private:
    // The library, started; its end shuts it down.
    std::unique_ptr<const Nvml, void (*)(const Nvml*)> nvml_;
    std::vector<std::pair<int, void*>> devices_;
};

}  // namespace dasgd::experiments
