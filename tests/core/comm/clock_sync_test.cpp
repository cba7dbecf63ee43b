#include "core/comm/clock_sync.h"

#include <gmock/gmock.h>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

constexpr Ns kHour = 3'600'000'000'000;

class KeptErrors final : public EventSink {
public:
    void span(const Span& /*span*/) override { ++spans; }
    void metric(const Metric& metric) override {
        EXPECT_EQ(metric.name, "clock/error_s");
        errors.push_back(metric.value);
    }
    void state(RankState /*state*/, std::int64_t /*step*/, std::string_view /*text*/) override {}
    int spans = 0;
    std::vector<double> errors;
};

TEST(ClockSync, RanksWithDifferentOriginsEndOnOneTimeLineWithinTheBound) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        for (const int ranks : {1, 2, 4}) {
            const Ns shared = MonotonicClock::rawNow();
            runRanks(backend, ranks, [&](Communicator& comm, Clock&) {
                const int rank = comm.rank().value();
                // Rank 1 is an hour ahead, rank 2 two hours, …
                MonotonicClock clock(shared - rank * kHour);
                const RankClockOffset found = estimateClockOffset(comm, clock);
                clock.setOrigin(clock.origin() - found.offset);
                if (rank == 0) {
                    EXPECT_EQ(found.offset, 0);
                    EXPECT_EQ(clock.origin(), shared);
                    return;
                }
                EXPECT_GT(found.error, 0);
                EXPECT_LE(std::abs(found.offset + rank * kHour), found.error);
                EXPECT_LE(std::abs(clock.origin() - shared), found.error) << "the true offset lies within the bound";
            });
        }
    }
}

class KeptNames final : public EventSink, public NamedSpanSink {
public:
    void span(const Span& /*span*/) override { names.emplace_back(""); }
    void namedSpan(const Span& /*span*/, std::string_view name) override { names.emplace_back(name); }
    void metric(const Metric& /*metric*/) override {}
    void state(RankState /*state*/, std::int64_t /*step*/, std::string_view /*text*/) override {}
    std::vector<std::string> names;
};

TEST(ClockSync, NamesOfSpansAreHandedOnToWhoTakesThem) {
    const MonotonicClock clock;
    KeptNames named;
    ClockErrorSink(named, clock).namedSpan({}, "aten::add");
    EXPECT_THAT(named.names, testing::ElementsAre("aten::add"));
    KeptErrors nameless;
    ClockErrorSink(nameless, clock).namedSpan({}, "aten::add");
    EXPECT_EQ(nameless.spans, 1);
}

// Two of three ranks have been 0.3 ms wrong since the start, as after a minute of drift. Meanwhile all ranks reduce.
TEST(ClockSync, AKeeperCorrectsDriftWhileTheRanksTrain) {
    constexpr Ns kDrift = 300'000;
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        const Ns shared = MonotonicClock::rawNow();
        runRanks(backend, 3, [&](Communicator& comm, Clock&) {
            const int rank = comm.rank().value();
            SteeredClock clock(shared + (rank == 0 ? 0 : rank == 1 ? kDrift : -kDrift));
            KeptErrors sink;
            {
                ClockKeeper keeper(comm, clock, rank == 0 ? nullptr : &clock, std::chrono::milliseconds(20));
                ClockErrorSink recording(sink, clock);
                recording.watch(&keeper);
                EXPECT_EQ(keeper.measurements(), 0U);
                if (rank != 0) {
                    while (keeper.measurements() == 0) clock.sleepUntil(clock.now() + 1'000'000);
                    recording.span({});
                    EXPECT_GE(sink.errors.at(0), static_cast<double>(kDrift) * 1e-9) << "it was that wrong until now";
                    // The correction takes a thousand times as long as it is large.
                    const auto isRight = [&] { return std::abs(clock.origin() - shared) <= keeper.error(); };
                    while (!isRight() || keeper.error() >= kDrift) clock.sleepUntil(clock.now() + 1'000'000);
                    recording.span({});
                    EXPECT_LT(sink.errors.back(), static_cast<double>(kDrift) * 1e-9);
                    EXPECT_EQ(sink.spans, 2) << "handed on";
                }
                at::Tensor sum = torch::ones({1});
                Pending pending = comm.allReduce(sum, Reduce::Sum);
                pending.wait();
                // Rank 0 answers until the others have stopped asking.
                if (rank == 0) {
                    Pending others = comm.allReduce(sum, Reduce::Sum);
                    others.wait();
                }
            }
            if (rank != 0) {
                at::Tensor sum = torch::ones({1});
                Pending others = comm.allReduce(sum, Reduce::Sum);
                others.wait();
            }
        });
    }
}

TEST(ClockSync, AKeeperOfRankZerosOwnClockAsksNothing) {
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        ClockKeeper keeper(comm, clock, nullptr, std::chrono::milliseconds(1));
        clock.sleepUntil(clock.now() + 10'000'000);
        EXPECT_EQ(keeper.measurements(), 0U);
        EXPECT_EQ(keeper.error(), 0);
        at::Tensor sum = torch::ones({1});
        Pending pending = comm.allReduce(sum, Reduce::Sum);
        pending.wait();
    });
}

TEST(ClockSync, OnlyRanksOfOtherHostsAreMoved) {
    const Ns shared = MonotonicClock::rawNow();
    for (const bool oneHost : {true, false}) {
        runRanks(Backend::Gloo, 3, [&](Communicator& comm, Clock&) {
            const bool isOwn = oneHost || comm.rank() != Rank{2};
            SteeredClock clock(isOwn ? shared : shared - kHour);
            const std::int64_t before = comm.bytesSent();
            Alignment alignment = alignClock(comm, clock, isOwn, std::chrono::milliseconds(1));
            EXPECT_EQ(alignment.keeper != nullptr, !oneHost) << "all ranks agree on it";
            EXPECT_EQ(alignment.error > 0, !isOwn);
            EXPECT_LE(std::abs(clock.origin() - shared), alignment.error);
            const std::int64_t aligned = comm.bytesSent();
            EXPECT_GT(aligned, before);
            while (!isOwn && alignment.keeper->measurements() < 3) clock.sleepUntil(clock.now() + 1'000'000);
            EXPECT_EQ(comm.bytesSent(), aligned) << "a keeper's messages are no part of the training";
            at::Tensor sum = torch::ones({1});
            Pending pending = comm.allReduce(sum, Reduce::Sum);
            pending.wait();
        });
    }
}

}  // namespace
}  // namespace dasgd::test
