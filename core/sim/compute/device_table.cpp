#include "core/sim/compute/device_table.h"

#include <algorithm>

namespace dasgd {

namespace {

// A Haswell core adds and multiplies 2 × 8 floats in each of two units a cycle: 32 FLOP. Its clock while it does so is
// the AVX base frequency, below the nominal one.
constexpr double xeonTeraflops(int cores, double avxGigahertz) { return cores * avxGigahertz * 32 * 1e-3; }

// Four channels of DDR4-2133 a socket.
constexpr double kHaswellSocketGigabytes = 68;

constexpr DeviceSpec kDevices[] = {
    {"k80", 8.74 / 2, 480.0 / 2,
     "NVIDIA Tesla K80 data sheet: 8.74 TFLOPS with boost and 480 GB/s for the board; one of its two GPUs"},
    {"p100", 10.6, 732, "NVIDIA Tesla P100 data sheet, SXM2"},
    {"v100", 15.7, 900, "NVIDIA Tesla V100 data sheet, SXM2"},
    {"a100", 19.5, 2039, "NVIDIA A100 data sheet, 80 GB SXM; FP32, not TF32"},
    {"h100", 67, 3350, "NVIDIA H100 data sheet, SXM; FP32, not TF32"},
    {"h200", 67, 4800, "NVIDIA H200 data sheet, SXM; FP32, not TF32"},
    {"2x-e5-2698v3", xeonTeraflops(32, 1.9), 2 * kHaswellSocketGigabytes,
     "two Intel Xeon E5-2698 v3: 2 sockets x 16 cores x 1.9 GHz (AVX base, Intel's specification update) x 32 FLOP"},
    {"2x-e5-2697v3", xeonTeraflops(28, 2.2), 2 * kHaswellSocketGigabytes,
     "two Intel Xeon E5-2697 v3: 2 sockets x 14 cores x 2.2 GHz (AVX base, Intel's specification update) x 32 FLOP"},
    {"c4.8xlarge", xeonTeraflops(18, 2.5), 2 * kHaswellSocketGigabytes,
     "Amazon EC2 c4.8xlarge: 36 vCPU = 18 cores of Xeon E5-2666 v3 at 2.9 GHz x 32 FLOP; its AVX base frequency is not "
     "published: assumed 0.4 GHz lower, as of the two above"},
};

}  // namespace

std::span<const DeviceSpec> deviceTable() { return kDevices; }

const DeviceSpec* deviceNamed(std::string_view name) {
    const auto found = std::ranges::find(kDevices, name, &DeviceSpec::name);
    return found == std::end(kDevices) ? nullptr : found;
}

std::vector<std::string> deviceNames() {
    std::vector<std::string> names;
    for (const DeviceSpec& device : kDevices) names.emplace_back(device.name);
    return names;
}

}  // namespace dasgd
