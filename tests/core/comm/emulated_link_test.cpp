// The port's arithmetic with a clock and a real network that the test moves by hand.
#include "core/comm/emulated_link.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "core/comm/completion.h"
#include "tests/support/units.h"

namespace dasgd::test {
namespace {

// 1 ms a message, 1 µs a byte.
constexpr LinkCost kLink{.alpha = 1e-3, .beta = 1e-6};

class SetClock final : public Clock {
public:
    [[nodiscard]] Ns now() const override { return time; }
    void sleepUntil(Ns instant) override { time = std::max<Ns>(time, instant); }
    std::atomic<Ns> time = 0;
};

// Operations that were handed to the real network; the test ends them.
struct Handed {
    std::mutex mutex;
    std::vector<std::shared_ptr<Completion>> operations;
    std::shared_ptr<Completion> add() {
        const std::lock_guard lock(mutex);
        operations.push_back(std::make_shared<Completion>(
            Completion::Facts{.label = "operation", .timeout = std::chrono::milliseconds(20)}));
        return operations.back();
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return operations.size();
    }
    void end(std::size_t which, Ns instant) {
        const std::lock_guard lock(mutex);
        operations.at(which)->end({{0, instant}, Rank{3}});
    }
};

class HandedComm final : public Communicator {
public:
    HandedComm(Group group, Handed& handed) : Communicator(std::move(group)), handed_(handed) {}

private:
    Pending start(CollectiveCall /*call*/, std::uint64_t number) override { return Pending(handed_.add(), number); }
    Pending start(MessageCall /*call*/) override { return Pending(handed_.add()); }
    std::unique_ptr<Communicator> open(Group group) override {
        group.key = 1;
        return std::make_unique<HandedComm>(std::move(group), handed_);
    }
    Handed& handed_;
};

class EmulatedLink : public testing::Test {
protected:
    SetClock clock;
    Handed real;
    std::unique_ptr<Communicator> comm =
        emulateLink(std::make_unique<HandedComm>(Group::whole(Rank{0}, 4), real), kLink, clock);
    at::Tensor payload = torch::zeros({1000}, torch::kInt8);  // occupies a direction for 1 ms
    at::Tensor in = torch::zeros({1000}, torch::kInt8);

    Ns endOf(Pending& pending) {
        pending.wait();
        return pending.interval().value().end;
    }
};

TEST_F(EmulatedLink, OppositeDirectionsDoNotDelayEachOther) {
    Pending sent = comm->send(payload, Rank{1}, 0);
    Pending received = comm->receive(in, Rank{1}, 0);
    real.end(0, 0);
    real.end(1, 0);
    EXPECT_EQ(endOf(sent), 2 * kMs);
    EXPECT_EQ(endOf(received), 2 * kMs);
    EXPECT_EQ(received.source(), Rank{3}) << "the real operation's";
}

TEST_F(EmulatedLink, OneDirectionCarriesOneMessageAfterTheOtherAndLatencyIsNoLoad) {
    Pending first = comm->receive(in, Rank{1}, 0);
    Pending second = comm->receive(in, Rank{2}, 0);
    real.end(1, 5 * kMs);
    real.end(0, 5 * kMs);
    EXPECT_EQ(endOf(second), 7 * kMs) << "in the order in which they came";
    EXPECT_EQ(endOf(first), 8 * kMs);
}

TEST_F(EmulatedLink, AMessageDoesNotWaitForAnEarlierOneThatIsNotThere) {
    Pending unanswered = comm->receive(in, Rank{1}, 0);
    Pending reduced = comm->allReduce(payload, Reduce::Max);
    Pending answered = comm->receive(in, Rank{2}, 0);
    real.end(2, 3 * kMs);
    EXPECT_EQ(endOf(answered), 5 * kMs);
    EXPECT_FALSE(unanswered.done());
    EXPECT_FALSE(reduced.done());
}

// The receivers cannot know that the sender's direction is busy: the message is kept back.
TEST_F(EmulatedLink, ASendIsHandedOverWhenThoseBeforeItHaveLeft) {
    Pending first = comm->send(payload, Rank{1}, 0);
    Pending second = comm->send(payload, Rank{2}, 0);
    Pending third = comm->send(payload, Rank{3}, 0);
    EXPECT_EQ(real.count(), 1U);
    real.end(0, 0);
    EXPECT_EQ(endOf(first), 2 * kMs);
    // The wait has moved the clock past the departures of the second, at 1 ms, and the third, at 2 ms.
    while (real.count() < 3) std::this_thread::yield();
    real.end(1, 1 * kMs);
    real.end(2, 2 * kMs);
    EXPECT_EQ(endOf(second), 3 * kMs);
    EXPECT_EQ(endOf(third), 4 * kMs);
    EXPECT_EQ(comm->bytesSent(), 3000);
}

TEST_F(EmulatedLink, AReceiverThatComesLateCostsThePlaceInTheQueue) {
    Pending late = comm->send(payload, Rank{1}, 0);
    clock.time = 9 * kMs;
    Pending other = comm->send(payload, Rank{2}, 0);
    real.end(1, 9 * kMs);
    real.end(0, 9 * kMs);
    EXPECT_EQ(endOf(other), 11 * kMs);
    EXPECT_EQ(endOf(late), 12 * kMs) << "after the other has left";
}

TEST_F(EmulatedLink, CollectivesTakeTurnsFromTheEndOfTheRealOne) {
    Pending one = comm->allReduce(payload, Reduce::Max);
    Pending two = comm->allReduce(in, Reduce::Max);
    real.end(0, 3 * kMs);
    real.end(1, 3 * kMs);
    const Ns each = 6 * kMs + 1'500'000;  // 2(P−1)α + 2S(P−1)/P·β
    EXPECT_EQ(endOf(two), 3 * kMs + 2 * each);
    EXPECT_EQ(endOf(one), 3 * kMs + each);
    EXPECT_EQ(one.interval()->start, 0);
    EXPECT_EQ(two.interval()->start, one.interval()->end);
    EXPECT_EQ(two.collective(), 2U);
    const auto group = comm->split({Rank{0}, Rank{2}});
    Pending received = group->receive(in, Rank{1}, 0);
    real.end(2, 4 * kMs);
    EXPECT_EQ(endOf(received), 3 * kMs + 2 * each + 2 * kMs) << "one port for all groups";
}

TEST_F(EmulatedLink, TheEndIsSeenWhenItComesAndAChainGoesOnThen) {
    Pending received = comm->receive(in, Rank{1}, 0);
    real.end(0, 0);
    EXPECT_FALSE(received.done());
    EXPECT_EQ(received.interval(), std::nullopt);
    Pending chain = std::move(received).then([&] { return comm->receive(in, Rank{1}, 1); });
    EXPECT_EQ(real.count(), 1U);
    clock.time = 2 * kMs;
    while (real.count() < 2) std::this_thread::yield();
    real.end(1, 2 * kMs);
    EXPECT_EQ(endOf(chain), 4 * kMs);
}

TEST_F(EmulatedLink, ErrorsOfTheRealOperationAreItsOwn) {
    Pending sent = comm->send(payload, Rank{1}, 0);
    EXPECT_THROW(sent.wait(), CommError) << "the real deadline";
    real.operations[0]->fail("no route");
    EXPECT_TRUE(sent.done());
    EXPECT_THROW(sent.wait(), CommError);
}

TEST(EmulatedSeconds, AreThoseOfTheCostModel) {
    const auto seconds = [](CollectiveKind kind, std::int64_t in, std::int64_t out) {
        CollectiveCall call{.kind = kind, .in = torch::zeros({in}, torch::kInt8), .out = torch::zeros({out})};
        call.counts = {10, 0, 500, 490};
        return collectiveSeconds(call, {.alpha = 1e-3, .beta = 1e-6, .rho = 1}, 4);
    };
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, 1000, 1000), 6e-3 + 1.5e-3);
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::ReduceScatter, 1000, 250), 3e-3 + 0.75e-3);
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, 1000, 4000), 3 * 2e-3);
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGatherV, 490, 1000), 3 * 1.5e-3) << "the largest share";
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllToAll, 1000, 1000), 3 * 1.25e-3);
    EXPECT_DOUBLE_EQ(seconds(CollectiveKind::Broadcast, 1000, 1000), 2 * 2e-3);
}

}  // namespace
}  // namespace dasgd::test
