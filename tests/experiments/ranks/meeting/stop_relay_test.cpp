// Ranks by hand agree on a step to stop at through the store, whichever of them is asked, and whatever each was doing.
#include "experiments/ranks/meeting/stop_relay.h"

#include <gmock/gmock.h>

#include <random>

#include "core/comm/pending.h"
#include "tests/support/processes.h"
#include "tests/support/stumbling_store.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr milliseconds kPatience{10'000};

TEST(StopRelayGate, LetsARankGoOnUntilItIsHeld) {
    StopRelayGate gate(kPatience);
    EXPECT_TRUE(gate.mayContinue(Rank{0}, 0));
    EXPECT_TRUE(gate.mayContinue(Rank{0}, 1));
    EXPECT_EQ(gate.hold(), 2) << "it is in its second step";
    gate.stopAt(4);
    EXPECT_TRUE(gate.mayContinue(Rank{0}, 2)) << "others are further";
    EXPECT_TRUE(gate.mayContinue(Rank{0}, 3));
    EXPECT_FALSE(gate.mayContinue(Rank{0}, 4));
}

TEST(StopRelayGate, TellsThePageWhereTheRankIs) {
    const test::TempDir dir;
    RunControl page = RunControl::create(dir / "control", 2).value();
    StopRelayGate gate(kPatience, &page);
    EXPECT_TRUE(gate.mayContinue(Rank{1}, 7));
    EXPECT_EQ(page.completed(Rank{1}), 7);
}

TEST(StopRelayGate, WaitsForAStepNoLongerThanItsPatience) {
    StopRelayGate gate(milliseconds(50));
    static_cast<void>(gate.hold());
    EXPECT_THROW(static_cast<void>(gate.mayContinue(Rank{0}, 3)), CommError);
    StopRelayGate other(kPatience);
    static_cast<void>(other.hold());
    other.giveUp("rank 1 did not answer");
    try {
        static_cast<void>(other.mayContinue(Rank{0}, 3));
        FAIL() << "nothing was thrown";
    } catch (const CommError& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank 1 did not answer"));
    }
}

// Each rank a thread with its own gate and relay; `meets`: no rank ends a step before all have begun it, as in an
// all-reduce, so that a rank that stopped earlier than another would leave that one waiting for ever.
std::vector<std::int64_t> stopsOf(int ranks, int askedRank, bool meets, unsigned seed) {
    const test::TempDir dir;
    std::vector<std::int64_t> stops(static_cast<std::size_t>(ranks));
    std::vector<std::atomic<std::int64_t>> begun(static_cast<std::size_t>(ranks));
    std::atomic<bool> asked{false};
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
            auto store = Rendezvous::file(dir / "store", ranks, kPatience).value();
            StopRelayGate gate(kPatience);
            const StopRelay relay(
                store.another().value(), gate, Rank{r}, ranks,
                [&asked, own = r == askedRank] { return own && asked.load(); }, kPatience);
            std::mt19937 random(seed + static_cast<unsigned>(r));
            std::int64_t step = 0;
            while (gate.mayContinue(Rank{r}, step)) {
                ++step;
                begun[static_cast<std::size_t>(r)] = step;
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                for (int other = 0; meets && other < ranks; ++other) {
                    while (begun[static_cast<std::size_t>(other)] < step) std::this_thread::yield();
                }
                if (r == 0 && step == 40) asked = true;
            }
            stops[static_cast<std::size_t>(r)] = step;
        });
    }
    for (std::thread& thread : threads) thread.join();
    return stops;
}

TEST(StopRelay, AllRanksStopAtOneStepWhoeverIsAsked) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        for (const bool meets : {true, false}) {
            const auto stops = stopsOf(3, static_cast<int>(seed % 3), meets, seed);
            EXPECT_THAT(stops, Each(stops[0])) << "seed " << seed;
            EXPECT_GE(stops[0], 40);
        }
    }
}

// A rank that is gone does not answer: the others are told which, in time.
TEST(StopRelay, ARankThatIsGoneIsNamed) {
    const test::TempDir dir;
    auto store = Rendezvous::file(dir / "store", 2, kPatience).value();
    StopRelayGate gate(kPatience);
    const StopRelay relay(
        store.another().value(), gate, Rank{0}, 2, [] { return true; }, milliseconds(300));
    try {
        std::int64_t step = 0;
        while (gate.mayContinue(Rank{0}, step)) ++step;
        FAIL() << "stopped at step " << step;
    } catch (const CommError& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank 1 did not answer"));
    }
}

// The store does not answer for a while, as behind a link that is down for longer than it is waited for.
TEST(StopRelay, AStopIsHeardAfterAStoreThatDidNotAnswerForAWhile) {
    const auto store = c10::make_intrusive<test::StumblingStore>(5);
    StopRelayGate gate(kPatience);
    std::atomic<bool> asked{false};
    const StopRelay relay(
        Rendezvous::through(StoreHandle{store}), gate, Rank{0}, 1, [&asked] { return asked.load(); }, kPatience);
    ASSERT_TRUE(test::eventually([&] { return store->answers(); }));
    asked = true;
    std::int64_t step = 0;
    EXPECT_TRUE(test::eventually([&] { return !gate.mayContinue(Rank{0}, step) || (++step, false); }));
}

}  // namespace
}  // namespace dasgd::experiments
