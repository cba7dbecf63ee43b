// The same streams, events and clock on the CUDA runtime and the GPU of this machine; skipped where there is none.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/device/device_clock.h"
#include "core/device/device_library.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;

class CudaDeviceTest : public testing::Test {
protected:
    void SetUp() override {
        const auto loaded = loadDeviceApi();
        if (!loaded) GTEST_SKIP() << loaded.error().message;
        if (const auto devices = usableDevices(*loaded); !devices) GTEST_SKIP() << devices.error().message;
        api = *loaded;
    }
    DeviceApi api;
    MonotonicClock clock;
};

TEST_F(CudaDeviceTest, StreamsAndEventsWork) {
    Device device(api, 0);
    const DeviceStream first(device, StreamPriority::Least), second(device, StreamPriority::Greatest);
    const DeviceEvent before = device.record(first.handle());
    device.makeWait(second.handle(), before);
    const DeviceEvent after = device.record(second.handle());
    device.await(after, milliseconds(10'000), clock);
    EXPECT_TRUE(device.hasPassed(before));
    EXPECT_GE(device.between(before, after), 0);
    EXPECT_LE(device.between(after, before), 0) << "the time back is negative";
}

TEST_F(CudaDeviceTest, TheDefaultStreamHasEventsToo) {
    Device device(api, 0);
    const DeviceEvent event = device.record(nullptr);
    device.await(event, milliseconds(10'000), clock);
    EXPECT_TRUE(device.hasPassed(event));
}

// The host knows each event's instant to within a few calls; the clock's answer may leave that interval by its bound.
TEST_F(CudaDeviceTest, InstantsAreWithinTheBound) {
    Device device(api, 0);
    DeviceClock times(device, clock);
    const DeviceStream stream(device, StreamPriority::Least);
    Ns worst = 0;
    for (int i = 0; i < 100; ++i) {
        const Ns before = clock.now();
        const DeviceEvent event = device.record(stream.handle());
        while (!device.hasPassed(event)) continue;
        const Ns after = clock.now();
        const Ns at = times.instantOf(event);
        worst = std::max({worst, before - at, at - after});
        clock.sleepUntil(after + 20'000'000);
        times.refresh();
    }
    // Drift is known once the reference has been renewed.
    clock.sleepUntil(clock.now() + 1'100'000'000);
    times.refresh();
    EXPECT_LE(worst, times.errorBound());
    EXPECT_LT(times.errorBound(), 1'000'000);
}

TEST_F(CudaDeviceTest, ADeviceThatIsNotThereIsAnError) { EXPECT_THROW(Device(api, 10'000), DeviceError); }

}  // namespace
}  // namespace dasgd::test
