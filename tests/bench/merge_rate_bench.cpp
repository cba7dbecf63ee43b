// merge_rate_bench [PARAMETERS]: how much of the GPU's memory bandwidth the merges and the snapshot of DaSGD use, over
// so many float32 parameters (100 million). Prints one line of JSON: of each the share, 1 being what the memory's clock
// and width allow, and the bytes/s behind it. Bytes are those that have to move: each buffer read or written once.
// Times are the device's own, of `kRepeats` in a row; the median of `kTurns` turns.
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/device/device_library.h"
#include "core/device/shared_library.h"
#include "core/gpu/flat_ops.h"
#include "core/gpu/tensor_device_library.h"

namespace dasgd {
namespace {

constexpr int kTurns = 9;
constexpr int kRepeats = 20;
constexpr std::chrono::seconds kDeadline{60};

struct Operation {
    const char* name;
    int buffers;  // read or written, each once
    std::function<void()> run;
};

// CUDA Runtime API, cudaDeviceAttr: memory clock in kHz, width of the bus in bits. Two transfers a clock.
Result<double> peakBytesPerSecond(int device) {
    constexpr int kMemoryClock = 36, kBusWidth = 37;
    DASGD_ASSIGN(auto library, SharedLibrary::open(kCudaRuntime));
    std::function<int(int* value, int attribute, int device)> attribute;
    library.take(attribute, "cudaDeviceGetAttribute");
    int kiloHertz = 0, bits = 0;
    if (!attribute || attribute(&kiloHertz, kMemoryClock, device) != 0 || attribute(&bits, kBusWidth, device) != 0 ||
        kiloHertz <= 0 || bits <= 0) {
        return fail("the device does not tell the clock and width of its memory");
    }
    return 2.0 * kiloHertz * 1e3 * bits / 8;
}

double secondsOf(Device& device, StreamHandle stream, Clock& clock, const std::function<void()>& run) {
    std::vector<double> turns;
    for (int turn = 0; turn < kTurns; ++turn) {
        run();
        const DeviceEvent before = device.record(stream);
        for (int i = 0; i < kRepeats; ++i) run();
        const DeviceEvent after = device.record(stream);
        device.await(after, kDeadline, clock);
        turns.push_back(static_cast<double>(device.between(before, after)) * 1e-9 / kRepeats);
    }
    std::nth_element(turns.begin(), turns.begin() + kTurns / 2, turns.end());
    return turns[kTurns / 2];
}

Status measure(std::int64_t parameters) {
    DASGD_ASSIGN(const auto tensors, openTensorDevice(0));
    tensors->enter();
    DASGD_ASSIGN(const DeviceApi api, loadDeviceApi());
    Device device(api, 0);
    MonotonicClock clock;
    DASGD_ASSIGN(const double peak, peakBytesPerSecond(0));

    const at::NoGradGuard noGradients;
    const auto options = at::TensorOptions(at::kFloat).device(tensors->device());
    // Weights are random: moving equal numbers needs less power than moving those of a training, and could be faster.
    const at::Tensor weights = at::randn({parameters}, options), mean = at::randn({parameters}, options),
                     snapshot = at::randn({parameters}, options), left = at::randn({parameters}, options),
                     right = at::randn({parameters}, options), outer = at::randn({parameters}, options);
    const std::vector<Operation> operations{
        {"snapshot", 2, [&] { snapshotFlat(weights, snapshot, {}, 1); }},
        {"blend", 3, [&] { mergeFlat(weights, mean, {}, 0.25, 0); }},
        {"delta", 4, [&] { mergeFlat(weights, mean, snapshot, 0, 1); }},
        {"general", 4, [&] { mergeFlat(weights, mean, snapshot, 0.25, 0.5); }},
        {"ring", 6,
         [&] {
             mergeFlat(weights, mean, snapshot, 0, 1, {left, right});
         }},
        {"sum", 4,
         [&] {
             sumFlat({left, right, mean}, {.out = weights, .divisor = 3});
         }},
        {"late", 8,
         [&] { outerStepLateFlat(outer, mean, {}, weights, {.learningRate = 0.1}, {.share = 0.25, .own = left}); }},
    };
    std::string shares, rates;
    for (const Operation& operation : operations) {
        const double seconds = secondsOf(device, tensors->stream(), clock, operation.run);
        const double rate = static_cast<double>(parameters) * sizeof(float) * operation.buffers / seconds;
        char text[128];
        std::snprintf(text, sizeof text, "\"%s\": %.4f, ", operation.name, rate / peak);
        shares += text;
        std::snprintf(text, sizeof text, "%s\"%s\": %.4g", rates.empty() ? "" : ", ", operation.name, rate);
        rates += text;
    }
    // gpu-check takes every number of the line for a share.
    std::printf("{%s\"peak_bytes_per_s\": \"%.4g\", \"bytes_per_s\": {%s}}\n", shares.c_str(), peak, rates.c_str());
    return {};
}

}  // namespace
}  // namespace dasgd

int main(int argc, char** argv) {
    const long long parameters = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
    if (argc > 2 || parameters < 1) {
        std::fprintf(stderr, "usage: merge_rate_bench [PARAMETERS]\n");
        return 2;
    }
    const dasgd::Status measured = dasgd::measure(parameters);
    if (measured) return 0;
    std::fprintf(stderr, "merge_rate_bench: %s\n", measured.error().message.c_str());
    return 1;
}
