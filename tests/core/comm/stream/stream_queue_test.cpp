// Operations beside a compute stream, over the model of a device.
#include "core/comm/stream/stream_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/support/device/observed_ops.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Ns kMicro = 1000, kMilli = 1'000'000;

class StreamQueueTest : public testing::Test {
protected:
    // The table of the model, but for waits of streams that the test leaves out.
    DeviceApi api() {
        DeviceApi api = model.api();
        api.streamWaitEvent = [this, wait = api.streamWaitEvent](StreamHandle stream, EventHandle event,
                                                                 unsigned flags) {
            const bool dropped = stream == nullptr ? dropsWaitsOfCompute : dropsWaitsOfQueue;
            return dropped ? DeviceApi::kSuccess : wait(stream, event, flags);
        };
        return api;
    }
    // Compute work of a millisecond that writes the tensor.
    void compute() { model.launch(nullptr, kMilli, {accessOf(tensor, true, "a kernel")}); }
    Pending reduce(Ns duration = 2 * kMilli) {
        const std::string label = std::string("rank 0: all_reduce #").append(std::to_string(++launched));
        return queue->launch({.label = label,
                              .collective = static_cast<std::uint64_t>(launched),
                              .tensors = {tensor},
                              .enqueue = [this, duration](StreamHandle stream) {
                                  model.launch(stream, duration, {accessOf(tensor, true, "all_reduce")});
                              }});
    }
    void merge() { model.launch(nullptr, 10 * kMicro, {accessOf(tensor, false, "the merge")}); }
    void pass(Ns time) { clock.sleepUntil(clock.now() + time); }
    static std::string errorOf(Pending& pending) {
        try {
            pending.wait();
        } catch (const CommError& error) {
            return error.what();
        }
        return "no error";
    }

    bool dropsWaitsOfCompute = false, dropsWaitsOfQueue = false;
    int launched = 0;
    at::Tensor tensor = torch::ones({100});
    ModelClock clock;
    ModelDevice model{clock};
    Device device{api(), 0};
    DeviceClock times{device, clock};
    std::unique_ptr<StreamQueue> queue =
        std::make_unique<StreamQueue>(device, times, clock, StreamQueueOptions{.timeout = milliseconds(300)});
};

TEST_F(StreamQueueTest, NobodyOnTheHostWaitsAndNothingComesTooEarly) {
    const Ns before = clock.now();
    compute();
    Pending pending = reduce();
    EXPECT_FALSE(pending.done());
    EXPECT_EQ(pending.collective(), 1U);
    EXPECT_EQ(pending.interval(), std::nullopt);
    pending.wait();
    merge();
    EXPECT_LT(clock.now() - before, kMilli) << "the device has not even made the first kernel";
    EXPECT_THAT(model.races(), IsEmpty());
    EXPECT_THAT(model.hostWaits(), IsEmpty());
    EXPECT_EQ(device.hostWaits(), 0);
}

TEST_F(StreamQueueTest, WithoutTheWaitForWhatWasComputedItIsFound) {
    dropsWaitsOfQueue = true;
    compute();
    static_cast<void>(reduce());
    EXPECT_THAT(model.races(), testing::Contains(HasSubstr("writes what a kernel on compute writes")));
}

TEST_F(StreamQueueTest, WithoutTheWaitForTheResultItIsFound) {
    dropsWaitsOfCompute = true;
    compute();
    Pending pending = reduce();
    pending.wait();
    merge();
    EXPECT_THAT(model.races(), testing::Contains(HasSubstr("the merge on compute reads what all_reduce on stream")));
}

TEST_F(StreamQueueTest, ABufferThatIsWrittenBeforeItsWaitIsFound) {
    compute();
    static_cast<void>(reduce());
    compute();
    EXPECT_THAT(model.races(), testing::Contains(HasSubstr("a kernel on compute writes what all_reduce on stream")));
}

TEST_F(StreamQueueTest, TheIntervalIsTheDevicesNotTheHosts) {
    const Ns before = clock.now();
    compute();
    Pending first = reduce();
    Pending second = reduce();
    pass(10 * kMilli);
    EXPECT_EQ(queue->poll(), std::nullopt);
    EXPECT_TRUE(first.done());
    const Interval one = first.interval().value(), two = second.interval().value();
    const Ns bound = times.errorBound() + 20 * kMicro;
    EXPECT_NEAR(static_cast<double>(one.start - before), kMilli, static_cast<double>(bound));
    EXPECT_NEAR(static_cast<double>(one.end - one.start), 2 * kMilli, static_cast<double>(bound));
    EXPECT_GE(two.start, one.end - bound) << "one after the other";
    EXPECT_NEAR(static_cast<double>(two.end - two.start), 2 * kMilli, static_cast<double>(bound));
}

TEST_F(StreamQueueTest, TensorsAreKeptUntilTheDeviceIsDoneWithThem) {
    compute();
    static_cast<void>(reduce());
    static_cast<void>(queue->poll());
    EXPECT_EQ(tensor.use_count(), 2U) << "though nobody holds the operation";
    pass(10 * kMilli);
    static_cast<void>(queue->poll());
    EXPECT_EQ(tensor.use_count(), 1U);
}

TEST_F(StreamQueueTest, CallbacksRunWhereItIsPolledAndMayLaunchTheNext) {
    int called = 0;
    Pending chain = reduce().then([&] {
        ++called;
        return reduce();
    });
    pass(3 * kMilli);
    EXPECT_EQ(called, 0);
    EXPECT_EQ(queue->poll(), std::nullopt);
    EXPECT_EQ(called, 1);
    EXPECT_FALSE(chain.done());
    pass(3 * kMilli);
    EXPECT_EQ(queue->poll(), std::nullopt);
    EXPECT_TRUE(chain.done());
    chain.wait();
}

TEST_F(StreamQueueTest, ADeadlineCountsFromItsTurnAndFailsEverything) {
    Pending late = reduce(10'000 * kMilli);
    Pending behind = reduce();
    EXPECT_EQ(queue->poll(), std::nullopt);
    pass(290 * kMilli);
    EXPECT_EQ(queue->poll(), std::nullopt);
    pass(20 * kMilli);
    const std::optional<std::string> reason = queue->poll();
    ASSERT_TRUE(reason);
    EXPECT_EQ(*reason, "rank 0: all_reduce #1 did not end within 300 ms");
    EXPECT_EQ(queue->poll(), std::nullopt) << "told once";
    EXPECT_TRUE(late.done());
    EXPECT_THAT(errorOf(late), HasSubstr("rank 0: all_reduce #1 failed: "));
    EXPECT_THAT(errorOf(behind), HasSubstr("rank 0: all_reduce #2 failed: rank 0: all_reduce #1 did not end"));
    Pending after = reduce();
    EXPECT_THAT(errorOf(after), HasSubstr("rank 0: all_reduce #3 failed: rank 0: all_reduce #1 did not end"));
}

TEST_F(StreamQueueTest, ManyThatTakeLessThanTheDeadlineEachMayTakeLongerTogether) {
    std::vector<Pending> all;
    for (int i = 0; i < 5; ++i) all.push_back(reduce(200 * kMilli));
    for (int i = 0; i < 22; ++i) {
        EXPECT_EQ(queue->poll(), std::nullopt);
        pass(50 * kMilli);
    }
    for (Pending& each : all) EXPECT_TRUE(each.done());
}

TEST_F(StreamQueueTest, ADeviceThatDoesNotComeToItIsToldApart) {
    model.launch(nullptr, 10'000 * kMilli);
    Pending pending = reduce();
    pass(310 * kMilli);
    EXPECT_EQ(queue->poll().value(), "rank 0: all_reduce #1 did not end within 300 ms; the device has not come to it");
}

TEST_F(StreamQueueTest, WhatCannotBeGivenToTheStreamFailsAlone) {
    Pending refused = queue->launch(
        {.label = "rank 0: broadcast #1", .enqueue = [](StreamHandle) { throw CommError("invalid argument"); }});
    EXPECT_EQ(errorOf(refused), "rank 0: broadcast #1 failed: invalid argument");
    Pending next = reduce();
    pass(3 * kMilli);
    EXPECT_EQ(queue->poll(), std::nullopt);
    EXPECT_EQ(errorOf(next), "no error");
}

TEST_F(StreamQueueTest, AFailedDeviceFailsEverything) {
    Pending pending = reduce();
    model.failing = 719;
    EXPECT_THAT(queue->poll().value(), HasSubstr("device 0: cudaEventQuery failed"));
    EXPECT_THAT(errorOf(pending), HasSubstr("rank 0: all_reduce #1 failed: device 0: cudaEventQuery failed"));
    model.failing = 0;
}

TEST_F(StreamQueueTest, WhatIsOpenWhenItGoesFails) {
    Pending pending = reduce();
    queue.reset();
    EXPECT_THAT(errorOf(pending), HasSubstr("its communicator is closed"));
}

}  // namespace
}  // namespace dasgd::test
