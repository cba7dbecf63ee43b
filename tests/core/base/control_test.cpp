#include "core/base/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

RunControl newControl(const TempDir& folder, int ranks) {
    auto control = RunControl::create(folder / "control", ranks);
    DASGD_CHECK(control);
    return std::move(*control);
}

RunControl openControl(const TempDir& folder) {
    auto control = RunControl::open(folder / "control");
    DASGD_CHECK(control);
    return std::move(*control);
}

// Steps until told to stop or `total`; answers the completed steps.
template <class Work>
std::int64_t runRank(RunControl& control, Rank rank, std::int64_t total, Work&& work) {
    std::int64_t step = 0;
    while (step < total && control.mayContinue(rank, step)) {
        work(step);
        ++step;
    }
    control.leave(rank);
    return step;
}

// A reusable meeting point: what a collective is to a rank.
class Meeting {
public:
    explicit Meeting(int ranks) : ranks_(ranks) {}
    void wait() {
        const int round = round_.load();
        if (arrived_.fetch_add(1) + 1 == ranks_) {
            arrived_ = 0;
            round_.fetch_add(1);
            return;
        }
        while (round_.load() == round) std::this_thread::yield();
    }

private:
    const int ranks_;
    std::atomic<int> arrived_{0};
    std::atomic<int> round_{0};
};

TEST(RunControlTest, GoesOnUntilAStopIsAskedFor) {
    const TempDir folder;
    RunControl control = newControl(folder, 2);
    EXPECT_EQ(control.ranks(), 2);
    EXPECT_FALSE(control.stopRequested());
    EXPECT_FALSE(control.stopStep());
    for (std::int64_t step = 0; step < 100; ++step) EXPECT_TRUE(control.mayContinue(Rank{1}, step));
    EXPECT_EQ(control.completed(Rank{1}), 99);
    EXPECT_EQ(control.completed(Rank{0}), 0);
    const RunControl other = openControl(folder);
    EXPECT_EQ(other.completed(Rank{1}), 99);
}

TEST(RunControlTest, OtherProcessesSeeTheTurnAndTheHold) {
    const TempDir folder;
    const RunControl launcher = newControl(folder, 2);
    RunControl tool = openControl(folder);
    EXPECT_EQ(tool.turn(), 0);
    EXPECT_FALSE(tool.isHeld());
    tool.setTurn(2.5);
    tool.setHeld(true);
    EXPECT_EQ(launcher.turn(), 2.5);
    EXPECT_TRUE(launcher.isHeld());
    tool.setHeld(false);
    EXPECT_FALSE(launcher.isHeld());
    EXPECT_FALSE(launcher.stopRequested());
}

TEST(RunControlTest, ASecondRequestMovesNothing) {
    const TempDir folder;
    RunControl control = newControl(folder, 1);
    for (std::int64_t step = 0; step <= 10; ++step) EXPECT_TRUE(control.mayContinue(Rank{0}, step));
    control.requestStop();
    const auto step = control.stopStep();
    ASSERT_TRUE(step);
    EXPECT_GE(*step, 11);
    control.requestStop();
    EXPECT_EQ(control.stopStep(), step);
    EXPECT_TRUE(control.stopRequested());
}

TEST(RunControlTest, WrongFilesAreRefused) {
    const TempDir folder;
    EXPECT_FALSE(RunControl::open(folder / "absent"));
    std::ofstream(folder / "short") << "x";
    EXPECT_THAT(RunControl::open(folder / "short").error().message, HasSubstr("not a control page"));
    std::ofstream(folder / "wrong") << std::string(4096, 'x');
    EXPECT_THAT(RunControl::open(folder / "wrong").error().message, HasSubstr("not a control page"));
    EXPECT_FALSE(RunControl::create(folder / "no" / "such" / "folder", 2));
}

class StopTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, StopTest, ::testing::Values(1, 2, 4, 7));

// Ranks that nothing couples and whose speeds differ still stop at one step.
TEST_P(StopTest, FreeRanksStopAtOneStep) {
    const int ranks = GetParam();
    for (int round = 0; round < 15; ++round) {
        const TempDir folder;
        RunControl control = newControl(folder, ranks);
        std::vector<std::int64_t> ended(static_cast<std::size_t>(ranks));
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                RunControl mine = openControl(folder);
                ended[static_cast<std::size_t>(rank)] =
                    runRank(mine, Rank{rank}, std::int64_t{1} << 40, [&](std::int64_t step) {
                        std::this_thread::sleep_for(std::chrono::microseconds(1 + 30 * ((step + rank) % ranks)));
                    });
            });
        }
        std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
        control.requestStop();
        for (auto& thread : threads) thread.join();
        for (const std::int64_t step : ended) ASSERT_EQ(step, ended[0]);
        EXPECT_EQ(control.stopStep(), ended[0]);
    }
}

// Each step ends in a collective: a rank that parks while another has gone past it would wait for ever.
TEST_P(StopTest, CoupledRanksStopAtOneStepAndNeverLock) {
    const int ranks = GetParam();
    for (int round = 0; round < 30; ++round) {
        const TempDir folder;
        RunControl control = newControl(folder, ranks);
        Meeting meeting(ranks);
        std::vector<std::int64_t> ended(static_cast<std::size_t>(ranks));
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                RunControl mine = openControl(folder);
                ended[static_cast<std::size_t>(rank)] =
                    runRank(mine, Rank{rank}, std::int64_t{1} << 40, [&](std::int64_t) { meeting.wait(); });
            });
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
        control.requestStop();
        for (auto& thread : threads) thread.join();
        for (const std::int64_t step : ended) ASSERT_EQ(step, ended[0]);
    }
}

// A stop near the end: either all stop at one step or all finish.
TEST_P(StopTest, AStopNearTheEndSplitsNobody) {
    const int ranks = GetParam();
    for (int round = 0; round < 30; ++round) {
        const TempDir folder;
        RunControl control = newControl(folder, ranks);
        std::vector<std::int64_t> ended(static_cast<std::size_t>(ranks));
        std::atomic<std::int64_t> furthest{0};
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                RunControl mine = openControl(folder);
                ended[static_cast<std::size_t>(rank)] = runRank(
                    mine, Rank{rank}, 200, [&](std::int64_t step) { furthest = std::max(furthest.load(), step); });
            });
        }
        while (furthest < 150) std::this_thread::yield();
        control.requestStop();
        for (auto& thread : threads) thread.join();
        for (const std::int64_t step : ended) ASSERT_EQ(step, ended[0]) << round;
    }
}

TEST(RunControlTest, ARankThatLeftHoldsNobodyUp) {
    const TempDir folder;
    RunControl control = newControl(folder, 3);
    for (std::int64_t step = 0; step < 5; ++step) EXPECT_TRUE(control.mayContinue(Rank{2}, step));
    control.leave(Rank{2});
    control.requestStop();
    std::vector<std::int64_t> ended(2);
    std::thread other([&] { ended[1] = runRank(control, Rank{1}, 1000, [](std::int64_t) {}); });
    RunControl mine = openControl(folder);
    ended[0] = runRank(mine, Rank{0}, 1000, [](std::int64_t) {});
    other.join();
    EXPECT_EQ(ended[0], ended[1]);
    EXPECT_GE(ended[0], 5);
}

// Processes, one of them killed while the others wait for it at the stop step; nobody says that it left.
TEST(RunControlTest, ADeadProcessHoldsNobodyUp) {
    const TempDir folder;
    RunControl control = newControl(folder, 3);
    SharedCounter steps;
    const auto rank = [&](int number, int pauseUs) {
        return [&, number, pauseUs] {
            RunControl mine = openControl(folder);
            const auto end = runRank(mine, Rank{number}, std::int64_t{1} << 40, [&](std::int64_t) {
                ::usleep(static_cast<useconds_t>(pauseUs));
                steps.add();
            });
            return static_cast<int>(end % 100);
        };
    };
    ChildProcess first(rank(0, 100));
    ChildProcess second(rank(1, 100));
    ChildProcess stuck(rank(2, 100'000'000));
    ASSERT_TRUE(eventually([&] { return steps.get() > 100; }));
    control.requestStop();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stuck.kill();
    EXPECT_EQ(first.wait(), second.wait());
    EXPECT_EQ(control.completed(Rank{0}), control.completed(Rank{1}));
}

// Ranks that take turns in one thread, at different paces, stop at one step without anyone waiting in mayContinue().
TEST(TurnTakingTest, StopsAllRanksAtTheStepThatTheFurthestIsMaking) {
    const TempDir folder;
    RunControl control = newControl(folder, 3);
    CooperativeGate gate(control);
    std::vector<std::int64_t> completed(3, 0);
    std::vector<bool> going(3, true);
    const auto ask = [&](int rank) {
        const auto own = static_cast<std::size_t>(rank);
        if (!going[own]) return;
        going[own] = gate.mayContinue(Rank{rank}, completed[own]);
        if (going[own]) ++completed[own];
    };
    for (int turn = 0; turn < 7; ++turn) ask(0);
    ask(1);
    control.requestStop();
    EXPECT_EQ(control.completed(Rank{0}), 6) << "published while the seventh is being made";
    for (int turn = 0; turn < 20; ++turn) {
        for (const int rank : {2, 1, 0}) ask(rank);
    }
    EXPECT_EQ(completed, (std::vector<std::int64_t>{7, 7, 7}));
    EXPECT_EQ(going, (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace dasgd
