#include "core/exec/executor.h"

#include <gmock/gmock.h>

#include <string>

#include "core/base/named_spans.h"
#include "core/exec/cpu_executor.h"
#include "core/exec/simulated_executor.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class HandClock final : public Clock {
public:
    [[nodiscard]] Ns now() const override { return time += tick; }
    void sleepUntil(Ns instant) override { time = instant; }
    Ns tick = 10;
    mutable Ns time = 0;
};

// Ends when told to.
class HandOperation final : public Pending::Operation {
public:
    HandOperation(HandClock& clock, bool ready) : clock_(clock), ready_(ready) {}
    void wait() override {
        if (fails) throw CommError("rank 1 is gone");
        if (!ready_) clock_.time += 500;
    }
    bool done() override { return ready_; }
    bool cancel() override { return false; }
    std::optional<Pending::Outcome> outcome() override { return Pending::Outcome{{100, 400}, source}; }
    void onEnd(std::function<void()> /*callback*/) override {}
    bool fails = false;
    std::optional<Rank> source;

private:
    HandClock& clock_;
    bool ready_;
};

class ExecutorTest : public ::testing::Test {
protected:
    void expectSpan(std::size_t i, SpanKind kind, Ns start, Ns end) const {
        EXPECT_EQ(sink.spans.at(i).kind, kind) << i;
        EXPECT_EQ(sink.spans.at(i).start, start) << i;
        EXPECT_EQ(sink.spans.at(i).end, end) << i;
    }
    HandClock clock;
    MemorySink sink;
    CpuExecutor executor{clock, sink, TraceLevel::Full};
};

TEST_F(ExecutorTest, RunsWorkAndRecordsItFromStartToEnd) {
    bool done = false;
    executor.moveTo(7);
    executor.run({SpanKind::Merge, 99, 3}, [&] { done = true; });
    EXPECT_TRUE(done);
    ASSERT_EQ(sink.spans.size(), 1U);
    expectSpan(0, SpanKind::Merge, 10, 20);
    EXPECT_EQ(sink.spans[0].lane, Lane::Compute);
    EXPECT_EQ(sink.spans[0].step, 7);
    EXPECT_EQ(sink.spans[0].bytes, 99);
    EXPECT_EQ(sink.spans[0].collective, 3U);
}

// Sink that keeps names too.
class NamedSpansSink final : public EventSink, public NamedSpanSink {
public:
    void span(const Span& /*span*/) override { names.emplace_back(); }
    void namedSpan(const Span& span, std::string_view name) override {
        EXPECT_EQ(span.kind, SpanKind::Reduce);
        names.emplace_back(name);
    }
    void metric(const Metric& /*metric*/) override {}
    void state(RankState, std::int64_t, std::string_view) override {}
    std::vector<std::string> names;
};

TEST_F(ExecutorTest, TellsWhatAMessageCarriesWhereSpansAreKept) {
    const auto namesAt = [&](TraceLevel level) {
        NamedSpansSink naming;
        CpuExecutor named(clock, naming, level);
        for (const char* name : {"activations", ""}) {
            Pending message(std::make_shared<HandOperation>(clock, true));
            named.waitFor(message, 1, 8, name);
        }
        return naming.names;
    };
    EXPECT_THAT(namesAt(TraceLevel::Full), ElementsAre("activations", ""));
    EXPECT_THAT(namesAt(TraceLevel::Summary), ElementsAre("", "")) << "its spans are not stored";
    EXPECT_THAT(namesAt(TraceLevel::Off), ::testing::IsEmpty());
    Pending message(std::make_shared<HandOperation>(clock, true));
    executor.waitFor(message, 1, 8, "activations");
    EXPECT_THAT(sink.spans, SizeIs(1)) << "a sink without names has the span";
}

// An operation from 100 to 400, an evaluation from 200 to 1200, and the wait for it at 1250: without the evaluation the
// rank had come to the wait at 250 and stayed to 400.
TEST_F(ExecutorTest, AnEvaluationHidesNothingInTheTimeTrained) {
    for (const TraceLevel level : {TraceLevel::Off, TraceLevel::Summary, TraceLevel::Full}) {
        HandClock time;
        time.tick = 0;
        CpuExecutor made{time, sink, level};
        made.run({SpanKind::Eval}, [] {});
        made.moveTo(1);
        EXPECT_EQ(made.trainedUntil(200), 200);
        time.time = 200;
        made.run({SpanKind::Eval}, [&] { time.time = 1200; });
        EXPECT_EQ(made.trainedUntil(1200), 200);
        made.moveTo(2);
        time.time = 1250;
        Pending pending(std::make_shared<HandOperation>(time, true));
        made.waitFor(pending, 1, 8);
        EXPECT_EQ(made.trainedUntil(1250), 400);
    }
}

TEST_F(ExecutorTest, AWaitInsideAPassInterruptsIt) {
    executor.run({SpanKind::Forward}, [&] {
        executor.run({SpanKind::Wait}, [] {});
        executor.run({SpanKind::Merge}, [] {});
    });
    ASSERT_EQ(sink.spans.size(), 4U);
    expectSpan(0, SpanKind::Forward, 10, 20);
    expectSpan(1, SpanKind::Wait, 20, 30);
    expectSpan(2, SpanKind::Merge, 40, 50);
    expectSpan(3, SpanKind::Forward, 30, 60);
}

TEST_F(ExecutorTest, WorkThatThrowsIsRecordedAndThePassAroundItToo) {
    const auto failing = [&] {
        executor.run({SpanKind::Forward},
                     [&] { executor.run({SpanKind::Wait}, [] { throw CommError("rank 1 is gone"); }); });
    };
    EXPECT_THROW(failing(), CommError);
    ASSERT_EQ(sink.spans.size(), 3U);
    expectSpan(1, SpanKind::Wait, 20, 30);
    expectSpan(2, SpanKind::Forward, 30, 40);
    executor.run({SpanKind::Wait}, [] {});
    EXPECT_EQ(sink.spans.size(), 4U) << "nothing is open any more that a wait would interrupt";
}

TEST_F(ExecutorTest, TellsWhoSentWhatWasWaitedFor) {
    const auto received = std::make_shared<HandOperation>(clock, false);
    received->source = Rank{3};
    Pending pending(received);
    EXPECT_EQ(executor.waitFor(pending, 1, 8), Rank{3});
    Pending other(std::make_shared<HandOperation>(clock, true));
    EXPECT_EQ(executor.waitFor(other, 1, 8), std::nullopt);
}

TEST_F(ExecutorTest, RecordsTheWaitOnlyWhereThereWasOne) {
    for (const bool ready : {false, true}) {
        sink.spans.clear();
        Pending pending(std::make_shared<HandOperation>(clock, ready), 5);
        executor.moveTo(7);
        executor.waitFor(pending, 4, 1000);
        EXPECT_FALSE(pending) << "waited for once";
        ASSERT_EQ(sink.spans.size(), ready ? 1U : 2U);
        const Span& reduce = sink.spans.back();
        EXPECT_EQ(reduce.kind, SpanKind::Reduce);
        EXPECT_EQ(reduce.lane, Lane::Comm);
        EXPECT_EQ(reduce.step, 4);
        EXPECT_EQ(reduce.start, 100);
        EXPECT_EQ(reduce.end, 400);
        EXPECT_EQ(reduce.bytes, 1000);
        EXPECT_EQ(reduce.collective, 5U);
        if (!ready) {
            EXPECT_EQ(sink.spans[0].kind, SpanKind::Wait);
            EXPECT_EQ(sink.spans[0].step, 7);
            EXPECT_EQ(sink.spans[0].collective, 5U);
            EXPECT_GE(sink.spans[0].end - sink.spans[0].start, 500);
        }
    }
}

TEST_F(ExecutorTest, AFailedWaitIsRecordedBeforeTheErrorGoesOn) {
    auto operation = std::make_shared<HandOperation>(clock, false);
    operation->fails = true;
    Pending pending(operation, 1);
    EXPECT_THROW(executor.waitFor(pending, 1, 8), CommError);
    ASSERT_EQ(sink.spans.size(), 1U);
    EXPECT_EQ(sink.spans[0].kind, SpanKind::Wait);
}

TEST_F(ExecutorTest, SpansAreRecordedAtEveryLevelButOff) {
    for (const TraceLevel level : {TraceLevel::Full, TraceLevel::Summary, TraceLevel::Off}) {
        sink.spans.clear();
        clock.time = 190;
        CpuExecutor recording(clock, sink, level);
        recording.run({SpanKind::Backward}, [&] { clock.time = 340; });
        Pending pending(std::make_shared<HandOperation>(clock, true), 1);
        recording.waitFor(pending, 1, 8);
        EXPECT_EQ(sink.spans.size(), level == TraceLevel::Off ? 0U : 2U) << "whoever collects a summary keeps none";
    }
}

TEST_F(ExecutorTest, AnEvaluationEndsTheCleanWindow) {
    const auto step = [&](std::int64_t k) {
        executor.moveTo(k);
        Pending pending(std::make_shared<HandOperation>(clock, true), 1);
        executor.waitFor(pending, k, 8);
        executor.stepDone(100 * k);
    };
    const auto taken = [&] {
        std::vector<std::pair<Ns, Ns>> all;
        for (const CleanWindow& window : executor.takeWindows()) all.emplace_back(window.time.start, window.time.end);
        return all;
    };
    for (std::int64_t k = 1; k <= 3; ++k) step(k);
    EXPECT_THAT(taken(), ElementsAre(std::pair(100, 200), std::pair(200, 300))) << "as short as they may be";
    executor.run({SpanKind::Eval}, [] {});
    for (std::int64_t k = 4; k <= 5; ++k) step(k);
    EXPECT_THAT(taken(), ElementsAre(std::pair(400, 500))) << "300 to 400 is not clean";
}

// Records the work that it is given, and moves its clock by `step` for each piece.
struct Notes final : SimulatedTime {
    explicit Notes(HandClock& clock) : clock(clock) {}
    void charge(SpanKind kind, std::int64_t bytes) override {
        told.push_back("charge " + std::string(nameOf(kind)) + " " + std::to_string(bytes));
        if (dead) throw CommError("its host failed");
        clock.time += step;
    }
    void abandon() noexcept override { told.emplace_back("abandon"); }
    void gradientReady(std::size_t slot) override { told.push_back("gradient " + std::to_string(slot)); }
    void layerDone(SpanKind pass, std::size_t slot) override {
        told.push_back(std::string(nameOf(pass)) + " layer " + std::to_string(slot));
    }
    void setBatchShare(double, bool) override {}
    void setUntimed(bool untimed) override { told.emplace_back(untimed ? "untimed" : "timed"); }
    [[nodiscard]] bool computes() const override { return maths; }
    HandClock& clock;
    std::vector<std::string> told;
    bool dead = false;
    bool maths = true;
    Ns step = 1000;
};

class SimulatedExecutorTest : public ExecutorTest {
protected:
    Notes time{clock};
    SimulatedExecutor simulated{clock, sink, TraceLevel::Full, time};
};

TEST_F(SimulatedExecutorTest, ChargesWorkOnceItIsDone) {
    simulated.run({SpanKind::Backward}, [&] {
        simulated.gradientReady(2);
        simulated.layerDone(SpanKind::Backward, 2);
    });
    simulated.run({SpanKind::Snapshot, 64}, [] {});
    EXPECT_THAT(time.told, ElementsAre("gradient 2", "backward layer 2", "charge backward 0", "charge snapshot 64"));
    expectSpan(0, SpanKind::Backward, 10, 1020);
}

TEST_F(SimulatedExecutorTest, ASummaryLeavesOutWorkThatTakesNoTime) {
    SimulatedExecutor summary{clock, sink, TraceLevel::Summary, time};
    clock.tick = 0;
    time.step = 0;
    summary.run({SpanKind::Update}, [] {});
    EXPECT_THAT(sink.spans, SizeIs(0));
    time.step = 1;
    summary.run({SpanKind::Update}, [] {});
    EXPECT_THAT(sink.spans, SizeIs(1));
}

// Forward and backward of steps that touch, one whose backward pass follows after other work, one without any.
TEST_F(SimulatedExecutorTest, ASummaryTellsPassesThatTouchInOneRecord) {
    SimulatedExecutor summary{clock, sink, TraceLevel::Summary, time};
    clock.tick = 0;
    summary.moveTo(1);
    summary.run({SpanKind::Forward}, [] {});
    EXPECT_THAT(sink.spans, SizeIs(0));
    summary.run({SpanKind::Backward}, [] {});
    summary.run({SpanKind::Update}, [] {});
    ASSERT_THAT(sink.spans, SizeIs(2));
    expectSpan(0, SpanKind::Passes, 0, 2000);
    expectSpan(1, SpanKind::Update, 2000, 3000);
    EXPECT_EQ(sink.spans[0].step, 1);

    summary.run({SpanKind::Forward}, [] {});
    summary.run({SpanKind::Merge}, [] {});
    summary.run({SpanKind::Backward}, [] {});
    expectSpan(2, SpanKind::Forward, 3000, 4000);
    expectSpan(3, SpanKind::Merge, 4000, 5000);
    expectSpan(4, SpanKind::Backward, 5000, 6000);

    summary.run({SpanKind::Forward}, [] {});
    summary.flush();
    ASSERT_THAT(sink.spans, SizeIs(6));
    expectSpan(5, SpanKind::Forward, 6000, 7000);
}

TEST_F(SimulatedExecutorTest, TimeAloneIsChargedWithoutTheWorkButPassesStillLaunch) {
    time.maths = false;
    SimulatedExecutor timeOnly{clock, sink, TraceLevel::Full, time};
    std::vector<std::string> done;
    for (const SpanKind kind : {SpanKind::Data, SpanKind::Forward, SpanKind::Backward, SpanKind::Update,
                                SpanKind::Snapshot, SpanKind::Merge, SpanKind::Eval}) {
        timeOnly.run({kind}, [&] { done.emplace_back(nameOf(kind)); });
    }
    EXPECT_THAT(done, ElementsAre("forward", "backward", "eval"));
    EXPECT_THAT(time.told, SizeIs(7));
    EXPECT_EQ(sink.spans.size(), 7U);
}

TEST_F(SimulatedExecutorTest, DoesNotChargeWorkThatFailed) {
    EXPECT_THROW(simulated.run({SpanKind::Backward}, [] { throw std::runtime_error("out of memory"); }),
                 std::runtime_error);
    EXPECT_THAT(time.told, ElementsAre("abandon"));
    EXPECT_EQ(sink.spans.size(), 1U);
}

TEST_F(SimulatedExecutorTest, PassesOnThatTheHostFailed) {
    time.dead = true;
    EXPECT_THROW(simulated.run({SpanKind::Forward}, [] {}), CommError);
    time.dead = false;
    simulated.run({SpanKind::Wait}, [] {});
    EXPECT_EQ(sink.spans.size(), 1U) << "the failed pass is not open any more";
}

TEST_F(SimulatedExecutorTest, IsTimedAgainWhateverHappens) {
    const auto failing = [&] {
        const UntimedScope untimed(simulated);
        throw CommError("rank 1 is gone");
    };
    EXPECT_THROW(failing(), CommError);
    EXPECT_THAT(time.told, ElementsAre("untimed", "timed"));
}

}  // namespace
}  // namespace dasgd::test
