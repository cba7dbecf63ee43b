#include "core/device/device_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device/model_device.h"

namespace dasgd::test {
namespace {

using testing::IsEmpty;

class DeviceClockTest : public testing::Test {
protected:
    // An event that has passed, and when it did on the host's time line.
    std::pair<DeviceEvent, Ns> eventNow() {
        DeviceEvent event = device.record(nullptr);
        const Ns at = clock.now();
        clock.sleepUntil(at + 100'000);
        EXPECT_TRUE(device.hasPassed(event));
        return {std::move(event), at};
    }

    ModelClock clock;
    ModelDevice model{clock};
    Device device{model.api(), 0};
};

TEST_F(DeviceClockTest, TellsInstantsWithinItsBound) {
    model.offset = 7'000'000'000'000;
    DeviceClock times(device, clock);
    EXPECT_GT(times.errorBound(), 0);
    EXPECT_LT(times.errorBound(), 10'000) << "as long as some calls take";
    for (int i = 0; i < 5; ++i) {
        const auto [event, at] = eventNow();
        EXPECT_LE(std::abs(times.instantOf(event) - at), times.errorBound());
    }
}

TEST_F(DeviceClockTest, AnEventThatHasNotPassedHasNoInstantYet) {
    DeviceClock times(device, clock);
    model.launch(nullptr, 3'000'000);
    const DeviceEvent event = device.record(nullptr);
    EXPECT_EQ(times.instantIfPassed(event), std::nullopt);
    EXPECT_THAT(model.hostWaits(), IsEmpty());
    EXPECT_THROW((void)times.instantOf(event), DeviceError);
    clock.sleepUntil(clock.now() + 4'000'000);
    EXPECT_EQ(times.instantIfPassed(event), times.instantOf(event));
}

TEST_F(DeviceClockTest, OfClocksThatDriftTheBoundHoldsWithRefreshing) {
    model.drift = 50e-6;
    DeviceClock times(device, clock);
    const Ns atFirst = times.errorBound();
    Ns worst = 0;
    for (int second = 0; second < 100; ++second) {
        clock.sleepUntil(clock.now() + 1'000'000'000);
        const auto [event, at] = eventNow();
        worst = std::max(worst, std::abs(times.instantOf(event) - at));
        times.refresh();
        EXPECT_LE(worst, times.errorBound()) << "at the latest once the reference is renewed";
    }
    EXPECT_GT(worst, 40'000) << "a second drifts by 50 us";
    EXPECT_GT(times.errorBound(), atFirst);
    EXPECT_LT(times.errorBound(), 100'000) << "and never adds up";
}

// refresh() does not wait for the work that the device is doing.
TEST_F(DeviceClockTest, RefreshingWaitsForNoWork) {
    DeviceClock times(device, clock);
    clock.sleepUntil(clock.now() + 2'000'000'000);
    model.launch(nullptr, 60'000'000'000);
    const Ns before = clock.now();
    times.refresh();
    EXPECT_LT(clock.now() - before, 1'000'000);
    EXPECT_THAT(model.hostWaits(), IsEmpty());
    const std::size_t made = model.eventsMade();
    for (int i = 0; i < 100; ++i) times.refresh();
    EXPECT_EQ(model.eventsMade(), made) << "while the reference is young";
}

TEST_F(DeviceClockTest, ADeviceThatDoesNotAnswerIsAnError) {
    DeviceApi silent = model.api();
    silent.eventQuery = [](EventHandle) { return DeviceApi::kNotReady; };
    Device mute(silent, 0);
    EXPECT_THAT([&] { const DeviceClock times(mute, clock); },
                testing::ThrowsMessage<DeviceError>(testing::HasSubstr("does not come to its first event")));
}

}  // namespace
}  // namespace dasgd::test
