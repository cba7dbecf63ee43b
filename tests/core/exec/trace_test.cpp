#include "core/exec/trace.h"

#include <gtest/gtest.h>

#include "tests/support/training.h"

namespace dasgd::test {
namespace {

class HandClock final : public Clock {
public:
    [[nodiscard]] Ns now() const override { return time += 10; }
    void sleepUntil(Ns instant) override { time = instant; }
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
    Interval interval() override { return {100, 400}; }
    bool fails = false;

private:
    HandClock& clock_;
    bool ready_;
};

TEST(Trace, ScopesRecordFromStartToEnd) {
    HandClock clock;
    MemorySink sink;
    Trace trace(clock, sink, TraceLevel::Full);
    { const auto span = trace.scope(SpanKind::Forward, 7, 3, 99); }
    ASSERT_EQ(sink.spans.size(), 1U);
    EXPECT_EQ(sink.spans[0].kind, SpanKind::Forward);
    EXPECT_EQ(sink.spans[0].step, 7);
    EXPECT_EQ(sink.spans[0].collective, 3U);
    EXPECT_EQ(sink.spans[0].bytes, 99);
    EXPECT_EQ(sink.spans[0].start, 10);
    EXPECT_EQ(sink.spans[0].end, 20);
}

TEST(Trace, AWaitInsideAPassInterruptsIt) {
    HandClock clock;
    MemorySink sink;
    Trace trace(clock, sink, TraceLevel::Full);
    {
        const auto pass = trace.scope(SpanKind::Forward, 7);
        { const auto wait = trace.scope(SpanKind::Wait, 7); }
        const auto inner = trace.scope(SpanKind::Merge, 7);
    }
    ASSERT_EQ(sink.spans.size(), 4U);
    const auto is = [&](std::size_t i, SpanKind kind, Ns start, Ns end) {
        EXPECT_EQ(sink.spans[i].kind, kind) << i;
        EXPECT_EQ(sink.spans[i].start, start) << i;
        EXPECT_EQ(sink.spans[i].end, end) << i;
    };
    is(0, SpanKind::Forward, 10, 20);
    is(1, SpanKind::Wait, 20, 30);
    is(2, SpanKind::Merge, 40, 50);
    is(3, SpanKind::Forward, 30, 60);
}

TEST(Trace, AwaitRecordsTheWaitOnlyWhereThereWasOne) {
    for (const bool ready : {false, true}) {
        HandClock clock;
        MemorySink sink;
        Trace trace(clock, sink, TraceLevel::Full);
        Pending pending(std::make_shared<HandOperation>(clock, ready), 5);
        trace.await(pending, 4, 7, 1000);
        ASSERT_EQ(sink.spans.size(), ready ? 1U : 2U);
        const Span& reduce = sink.spans.back();
        EXPECT_EQ(reduce.kind, SpanKind::Reduce);
        EXPECT_EQ(reduce.lane, Lane::Comm);
        EXPECT_EQ(reduce.step, 4);
        EXPECT_EQ(reduce.start, 100);
        EXPECT_EQ(reduce.end, 400);
        EXPECT_EQ(reduce.collective, 5U);
        if (!ready) {
            EXPECT_EQ(sink.spans[0].kind, SpanKind::Wait);
            EXPECT_EQ(sink.spans[0].step, 7);
            EXPECT_GE(sink.spans[0].end - sink.spans[0].start, 500);
        }
    }
}

TEST(Trace, AFailedWaitIsRecordedBeforeTheErrorGoesOn) {
    HandClock clock;
    MemorySink sink;
    Trace trace(clock, sink, TraceLevel::Full);
    auto operation = std::make_shared<HandOperation>(clock, false);
    operation->fails = true;
    Pending pending(operation, 1);
    EXPECT_THROW(trace.await(pending, 1, 1, 8), CommError);
    ASSERT_EQ(sink.spans.size(), 1U);
    EXPECT_EQ(sink.spans[0].kind, SpanKind::Wait);
}

TEST(Trace, LevelsKeepSpansNumbersOrNothing) {
    for (const TraceLevel level : {TraceLevel::Full, TraceLevel::Summary, TraceLevel::Off}) {
        HandClock clock;
        MemorySink sink;
        Trace trace(clock, sink, level);
        trace.add({.lane = Lane::Comm, .kind = SpanKind::Reduce, .start = 0, .end = 100});
        trace.add({.kind = SpanKind::Backward, .start = 20, .end = 80});
        EXPECT_EQ(sink.spans.size(), level == TraceLevel::Full ? 2U : 0U);
        EXPECT_EQ(trace.overlap().hidden, level == TraceLevel::Off ? 0 : 60);
    }
}

}  // namespace
}  // namespace dasgd::test
