// The executor of a device over the model of one: instants, clean windows and errors.
#include "core/exec/device_executor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/comm/completion.h"
#include "core/comm/stream/stream_queue.h"
#include "tests/support/device/model_device.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Ns kMicrosecond = 1000, kMillisecond = 1'000'000;

class DeviceExecutorTest : public ::testing::Test {
protected:
    void kernel(Ns duration) { model.launch(nullptr, duration); }
    void pass(Ns time) { clock.sleepUntil(clock.now() + time); }
    [[nodiscard]] std::unique_ptr<Executor> make(TraceLevel level) {
        return onDevice({device, times})(clock, sink, level, {});
    }
    // The reference and each event are off by some calls.
    void expectSpan(std::size_t i, SpanKind kind, Ns start, Ns length) const {
        const Span& span = sink.spans.at(i);
        EXPECT_EQ(span.kind, kind) << i;
        EXPECT_NEAR(static_cast<double>(span.start), static_cast<double>(start), 30 * kMicrosecond) << i;
        EXPECT_NEAR(static_cast<double>(span.end - span.start), static_cast<double>(length), 30 * kMicrosecond) << i;
    }

    ModelClock clock;
    ModelDevice model{clock};
    Device device{model.api(), 0};
    DeviceClock times{device, clock};
    MemorySink sink;
    std::unique_ptr<Executor> executor = make(TraceLevel::Full);
};

TEST_F(DeviceExecutorTest, SpansHaveTheTimeOfTheDeviceAndComeWhenItIsKnown) {
    const Ns begin = clock.now();
    executor->moveTo(3);
    executor->run({SpanKind::Forward}, [&] { kernel(2 * kMillisecond); });
    executor->run({SpanKind::Backward}, [&] { kernel(4 * kMillisecond); });
    executor->run({SpanKind::Merge, 64, 7}, [&] { kernel(kMillisecond); });
    EXPECT_LT(clock.now() - begin, kMillisecond) << "the host is ahead";
    executor->flush();
    EXPECT_THAT(sink.spans, IsEmpty());
    pass(3 * kMillisecond);
    executor->flush();
    EXPECT_THAT(sink.spans, SizeIs(1));
    pass(10 * kMillisecond);
    executor->flush();
    ASSERT_THAT(sink.spans, SizeIs(3));
    expectSpan(0, SpanKind::Forward, begin, 2 * kMillisecond);
    expectSpan(1, SpanKind::Backward, begin + 2 * kMillisecond, 4 * kMillisecond);
    expectSpan(2, SpanKind::Merge, begin + 6 * kMillisecond, kMillisecond);
    EXPECT_EQ(sink.spans[1].start, sink.spans[0].end) << "one mark ends the one and starts the other";
    EXPECT_EQ(sink.spans[2].step, 3);
    EXPECT_EQ(sink.spans[2].bytes, 64);
    EXPECT_EQ(sink.spans[2].collective, 7U);
    EXPECT_THAT(model.hostWaits(), IsEmpty());
}

TEST_F(DeviceExecutorTest, IdleTimeBetweenSpansBelongsToNone) {
    const Ns begin = clock.now();
    executor->run({SpanKind::Forward}, [&] { kernel(kMillisecond); });
    pass(5 * kMillisecond);
    executor->run({SpanKind::Backward}, [&] { kernel(kMillisecond); });
    pass(5 * kMillisecond);
    executor->flush();
    ASSERT_THAT(sink.spans, SizeIs(2));
    expectSpan(0, SpanKind::Forward, begin, kMillisecond);
    expectSpan(1, SpanKind::Backward, begin + 5 * kMillisecond, kMillisecond);
}

TEST_F(DeviceExecutorTest, AWaitInsideAPassInterruptsIt) {
    const Ns begin = clock.now();
    executor->run({SpanKind::Forward}, [&] {
        kernel(kMillisecond);
        executor->run({SpanKind::Wait}, [&] { kernel(3 * kMillisecond); });
        executor->flush();
        kernel(2 * kMillisecond);
    });
    pass(10 * kMillisecond);
    executor->flush();
    ASSERT_THAT(sink.spans, SizeIs(3));
    expectSpan(0, SpanKind::Forward, begin, kMillisecond);
    expectSpan(1, SpanKind::Wait, begin + kMillisecond, 3 * kMillisecond);
    expectSpan(2, SpanKind::Forward, begin + 4 * kMillisecond, 2 * kMillisecond);
}

TEST_F(DeviceExecutorTest, WorkThatThrowsIsRecorded) {
    const auto failing = [&] { executor->run({SpanKind::Update}, [] { throw std::runtime_error("out of memory"); }); };
    EXPECT_THROW(failing(), std::runtime_error);
    pass(kMillisecond);
    executor->flush();
    EXPECT_THAT(sink.spans, SizeIs(1));
}

TEST_F(DeviceExecutorTest, EventsOfLongRunsAreUsedAgain) {
    for (int step = 0; step < 1000; ++step) {
        executor->run({SpanKind::Forward}, [&] { kernel(100 * kMicrosecond); });
        executor->stepDone(clock.now());
        pass(100 * kMicrosecond);
    }
    EXPECT_LT(model.eventsMade(), 50U);
    EXPECT_GT(sink.spans.size(), 950U);
}

// Steps of a millisecond, of which the host knows nothing: it launches them all at once.
TEST_F(DeviceExecutorTest, CleanWindowsAreMeasuredOnTheDevice) {
    for (const TraceLevel level : {TraceLevel::Full, TraceLevel::Off}) {
        const auto timed = make(level);
        sink.spans.clear();
        for (int step = 1; step <= 40; ++step) {
            timed->moveTo(step);
            if (step == 20) {
                EXPECT_THAT(timed->takeWindows(), IsEmpty()) << "the device has not made a step";
                timed->run({SpanKind::Eval}, [&] { kernel(50 * kMillisecond); });
            }
            timed->run({SpanKind::Forward}, [&] { kernel(kMillisecond); });
            Pending arrived(std::make_shared<Completion>(Completion::Facts{}), 1);
            static_cast<Completion&>(*arrived.operation()).end({{0, 1}, std::nullopt});
            timed->waitFor(arrived, step, 8);
            timed->stepDone(clock.now());
        }
        timed->trainingDone();
        timed->flush();
        Ns length = 0;
        std::int64_t steps = 0;
        for (const CleanWindow& window : timed->takeWindows()) {
            length += window.length();
            steps += window.steps;
        }
        EXPECT_EQ(steps, 18 + 19) << "after the first of each window, and none from 19 to 21";
        EXPECT_NEAR(static_cast<double>(length) / static_cast<double>(steps), kMillisecond, 5 * kMicrosecond);
        EXPECT_EQ(sink.spans.empty(), level == TraceLevel::Off);
    }
}

// An evaluation begins when the device has made its steps, and what it computes is no training.
TEST_F(DeviceExecutorTest, TrainedTimeIsTheDevicesWithoutEvaluations) {
    for (const TraceLevel level : {TraceLevel::Full, TraceLevel::Off}) {
        const auto timed = make(level);
        const auto evaluate = [&] {
            timed->run({SpanKind::Eval}, [&] {
                kernel(50 * kMillisecond);
                pass(50 * kMillisecond);
            });
        };
        evaluate();
        Ns trained = 0;
        for (int round = 1; round <= 3; ++round) {
            for (int step = 0; step < 10; ++step) timed->run({SpanKind::Forward}, [&] { kernel(kMillisecond); });
            evaluate();
            trained = timed->trainedUntil(clock.now());
            EXPECT_NEAR(static_cast<double>(trained), round * 10 * kMillisecond, 500 * kMicrosecond);
        }
    }
}

TEST_F(DeviceExecutorTest, AnOperationThatFailsAfterItsWaitIsAnErrorOfTheNextStep) {
    StreamQueue queue(device, times, clock, {.timeout = std::chrono::milliseconds(300)});
    Pending pending =
        queue.launch({.label = "rank 1: all_reduce #1", .collective = 1, .enqueue = [&](StreamHandle stream) {
                          model.launch(stream, 1000 * kMillisecond);
                      }});
    executor->waitFor(pending, 1, 8);
    executor->flush();
    queue.fail("rank 0 is gone");
    EXPECT_THAT([&] { executor->stepDone(clock.now()); },
                ::testing::ThrowsMessage<CommError>("rank 1: all_reduce #1 failed: rank 0 is gone"));
}

}  // namespace
}  // namespace dasgd::test
