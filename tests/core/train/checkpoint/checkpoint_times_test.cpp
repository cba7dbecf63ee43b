#include "core/train/checkpoint/checkpoint_times.h"

#include <gmock/gmock.h>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Ns kSecond = 1'000'000'000;

std::vector<std::int64_t> stepsAt(CheckpointInterval interval, std::int64_t from, std::int64_t last) {
    std::vector<std::int64_t> steps;
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock&) {
        CheckpointTimes times(interval, from, nullptr);
        for (std::int64_t step = from + 1; step <= last; ++step) {
            if (times.isAgreementDue(step) && times.agree(comm, step)) steps.push_back(step);
        }
    });
    return steps;
}

TEST(CheckpointTimes, BySteps) {
    EXPECT_THAT(stepsAt({.steps = 10}, 0, 35), ElementsAre(10, 20, 30));
    EXPECT_THAT(stepsAt({.steps = 10}, 20, 35), ElementsAre(30)) << "not again where the run goes on from";
    EXPECT_THAT(stepsAt({}, 0, 35), IsEmpty());
}

// Ranks whose steps take 50 ms and 80 ms by clocks of their own: rank 0's decides, and all save after the same steps.
TEST(CheckpointTimes, ByRankZerosClockOnAllRanks) {
    std::vector<std::vector<std::int64_t>> saved(3);
    std::vector<int> meetings(3);
    runRanks(Backend::Threads, 3, [&](Communicator& comm, Clock&) {
        const auto rank = static_cast<std::size_t>(comm.rank().value());
        HostTime now{};
        CheckpointTimes times({.time = 10 * kSecond}, 0, nullptr, [&now] { return now; });
        EXPECT_TRUE(times.meets());
        for (std::int64_t step = 1; step <= 1000; ++step) {
            now += milliseconds(rank == 0 ? 50 : 80);
            if (!times.isAgreementDue(step)) continue;
            ++meetings[rank];
            if (times.agree(comm, step)) saved[rank].push_back(step);
        }
    });
    ASSERT_THAT(saved[0], SizeIs(5)) << "50 s of steps";
    for (std::size_t i = 0; i < saved[0].size(); ++i) {
        EXPECT_NEAR(static_cast<double>(saved[0][i]), 200.0 * static_cast<double>(i + 1),
                    15.0 * static_cast<double>(i + 1));
    }
    EXPECT_EQ(saved[1], saved[0]);
    EXPECT_EQ(saved[2], saved[0]);
    EXPECT_LT(meetings[0], 20) << "ranks meet rarely";
    EXPECT_EQ(meetings[1], meetings[0]);
}

// The first of the ranks of one thread decides for all, however far apart they are.
TEST(CheckpointDecisions, AreTheSameForAll) {
    HostTime now{};
    CheckpointDecisions decisions(kSecond, 2, [&now] { return now; });
    EXPECT_FALSE(decisions.due(1));
    now += milliseconds(1500);
    EXPECT_TRUE(decisions.due(2));
    EXPECT_FALSE(decisions.due(3)) << "a second has to pass again";
    EXPECT_FALSE(decisions.due(1)) << "the other rank comes to step 1 later";
    EXPECT_TRUE(decisions.due(2));
    EXPECT_FALSE(decisions.due(3));
    now += milliseconds(1500);
    EXPECT_TRUE(decisions.due(4));
}

}  // namespace
}  // namespace dasgd::test
