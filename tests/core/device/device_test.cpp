// Streams and events over the model of a device, and the faults that the model itself must find.
#include "core/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device/model_device.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceTest : public testing::Test {
protected:
    // Accesses to element i of `memory`, 4 bytes.
    [[nodiscard]] Access reads(int i) const { return {&memory[i], 4, false, "a reader"}; }
    [[nodiscard]] Access writes(int i) const { return {&memory[i], 4, true, "a writer"}; }

    float memory[4] = {};
    ModelClock clock;
    ModelDevice model{clock};
    Device device{model.api(), 0};
};

TEST_F(DeviceTest, AnEventPassesWhenItsStreamHasDoneWhatItWasGiven) {
    model.launch(nullptr, 100'000);
    const DeviceEvent event = device.record(nullptr);
    EXPECT_FALSE(device.hasPassed(event));
    EXPECT_EQ(device.api().takeError(), DeviceApi::kSuccess) << "which a launch of LibTorch's would take for its own";
    clock.sleepUntil(clock.now() + 100'000);
    EXPECT_TRUE(device.hasPassed(event));
    EXPECT_THAT(model.hostWaits(), IsEmpty());
}

TEST_F(DeviceTest, AStreamThatIsMadeToWaitStartsAfterTheOther) {
    const DeviceStream stream(device, StreamPriority::Greatest);
    model.launch(nullptr, 100'000, {writes(0)});
    const DeviceEvent before = device.record(nullptr);
    device.makeWait(stream.handle(), before);
    model.launch(stream.handle(), 50'000, {reads(0)});
    const DeviceEvent after = device.record(stream.handle());
    clock.sleepUntil(clock.now() + 1'000'000);
    EXPECT_TRUE(device.hasPassed(after));
    // The device's answer is a float of milliseconds.
    EXPECT_NEAR(static_cast<double>(device.between(before, after)), 50'000, 5'000);
    EXPECT_NEAR(static_cast<double>(device.between(after, before)), -50'000, 5'000);
    EXPECT_THAT(model.races(), IsEmpty());
}

TEST_F(DeviceTest, EventsGoBackIntoThePool) {
    for (int i = 0; i < 100; ++i) {
        const DeviceEvent one = device.record(nullptr), two = device.record(nullptr);
        EXPECT_NE(one.handle(), two.handle());
    }
    EXPECT_EQ(model.eventsMade(), 2U);
    DeviceEvent moved = device.record(nullptr);
    const EventHandle handle = moved.handle();
    const DeviceEvent kept = std::move(moved);
    EXPECT_EQ(kept.handle(), handle);
    EXPECT_EQ(moved.handle(), nullptr);
}

TEST_F(DeviceTest, NothingIsLeftOnTheDevice) {
    {
        Device other(model.api(), 0);
        const DeviceStream stream(other, StreamPriority::Least);
        const DeviceEvent event = other.record(stream.handle());
        EXPECT_EQ(model.streamsAlive(), 1U);
        EXPECT_EQ(model.eventsAlive(), 1U);
    }
    EXPECT_EQ(model.streamsAlive(), 0U);
    EXPECT_EQ(model.eventsAlive(), 0U);
}

TEST_F(DeviceTest, AFailedCallNamesDeviceAndCall) {
    const DeviceEvent event = device.record(nullptr);
    model.failing = 719;
    EXPECT_THAT([&] { static_cast<void>(device.hasPassed(event)); },
                testing::ThrowsMessage<DeviceError>("device 0: cudaEventQuery failed: an error of the test"));
    model.failing = 0;
}

TEST_F(DeviceTest, TheHostWaitsAtMostUntilTheDeadlineAndCountsIt) {
    const DeviceEvent idle = device.record(nullptr);
    device.await(idle, milliseconds(1), clock);
    EXPECT_EQ(device.hostWaits(), 0) << "it had passed";
    model.launch(nullptr, 300'000);
    const DeviceEvent soon = device.record(nullptr);
    device.await(soon, milliseconds(1), clock);
    EXPECT_TRUE(device.hasPassed(soon));
    EXPECT_EQ(device.hostWaits(), 1);
    EXPECT_THAT(model.hostWaits(), testing::Not(IsEmpty())) << "the model sees it too";
    model.launch(nullptr, 1'000'000'000);
    const DeviceEvent late = device.record(nullptr);
    EXPECT_THAT([&] { device.await(late, milliseconds(2), clock); },
                testing::ThrowsMessage<DeviceError>("device 0: its work did not end within 2 ms"));
}

// ----------------------------------------------------------------------------------------- what the model must find

TEST_F(DeviceTest, AMissingWaitIsARaceEvenWhereTheOrderHappenedToBeRight) {
    const DeviceStream stream(device, StreamPriority::Least);
    model.launch(nullptr, 10, {writes(0)});
    clock.sleepUntil(clock.now() + 1'000'000'000);
    model.launch(stream.handle(), 10, {reads(0)});
    EXPECT_THAT(model.races(), ElementsAre(testing::AllOf(HasSubstr("a reader on stream"),
                                                          HasSubstr("reads what a writer on compute writes"))));
}

TEST_F(DeviceTest, ABufferThatIsWrittenWhileAnotherStreamReadsItIsARace) {
    const DeviceStream stream(device, StreamPriority::Least);
    model.launch(nullptr, 10, {writes(0)});
    device.makeWait(stream.handle(), device.record(nullptr));
    model.launch(stream.handle(), 10, {reads(0)});
    model.launch(nullptr, 10, {reads(0), writes(1)});
    EXPECT_THAT(model.races(), IsEmpty()) << "both read, and the other is elsewhere";
    model.launch(nullptr, 10, {writes(0)});
    EXPECT_THAT(model.races(), ElementsAre(HasSubstr("a writer on compute writes what a reader")));
}

TEST_F(DeviceTest, AnEventThatTheHostHasSeenOrdersWhatItLaunchesThen) {
    const DeviceStream stream(device, StreamPriority::Least);
    model.launch(stream.handle(), 10, {writes(0)});
    const DeviceEvent event = device.record(stream.handle());
    clock.sleepUntil(clock.now() + 1'000'000);
    ASSERT_TRUE(device.hasPassed(event));
    model.launch(nullptr, 10, {reads(0)});
    model.touch(reads(0));
    EXPECT_THAT(model.races(), IsEmpty());
}

TEST_F(DeviceTest, AHostThatReadsWhatIsBeingComputedIsARace) {
    model.launch(nullptr, 10, {writes(0)});
    clock.sleepUntil(clock.now() + 1'000'000);
    model.touch(reads(0));
    EXPECT_THAT(model.races(), ElementsAre("a reader on host reads what a writer on compute writes"));
    model.synchronize(nullptr, "item");
    model.touch(reads(0));
    EXPECT_THAT(model.races(), testing::SizeIs(1)) << "after waiting it may";
    EXPECT_THAT(model.hostWaits(), ElementsAre("item"));
}

TEST_F(DeviceTest, AnEventRecordsWhatWasGivenBeforeItAndNoMore) {
    const DeviceStream stream(device, StreamPriority::Least);
    const DeviceEvent early = device.record(nullptr);
    model.launch(nullptr, 10, {writes(0)});
    device.makeWait(stream.handle(), early);
    model.launch(stream.handle(), 10, {reads(0)});
    EXPECT_THAT(model.races(), testing::SizeIs(1));
}

TEST_F(DeviceTest, AWaitForAnEventThatWasNeverRecordedIsReported) {
    EventHandle event = nullptr;
    ASSERT_EQ(device.api().eventCreate(&event, 0), DeviceApi::kSuccess);
    EXPECT_EQ(device.api().streamWaitEvent(nullptr, event, 0), DeviceApi::kSuccess) << "CUDA says nothing";
    EXPECT_THAT(model.faults(), ElementsAre("compute waits for an event that was never recorded"));
}

}  // namespace
}  // namespace dasgd::test
