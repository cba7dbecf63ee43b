#include "experiments/ranks/meeting/rank_outcomes.h"

#include <gmock/gmock.h>

#include "tests/support/seats.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;

std::string inWords(const std::vector<RankOutcome>& outcomes) {
    std::string text;
    for (const RankOutcome& one : outcomes) text += std::to_string(one.rank) + " " + one.status + one.place + ";";
    return text;
}

TEST(RankOutcomes, EveryRankIsToldOfAll) {
    const auto told = test::onSeats(3, [](const Seat& seat) {
        return inWords(exchangeOutcomes(seat, {seat.rank, "finished", " at " + std::to_string(seat.rank)}));
    });
    EXPECT_THAT(told, Each("0 finished at 0;1 finished at 1;2 finished at 2;"));
}

// Nobody who ended well waits longer than the deadline for a rank that is gone.
TEST(RankOutcomes, ARankThatIsGoneIsWaitedForNoLongerThanTheDeadline) {
    const auto begin = std::chrono::steady_clock::now();
    const auto told = test::onSeats(
        2,
        [](const Seat& seat) {
            return seat.rank == 1 ? "" : inWords(exchangeOutcomes(seat, {0, "stopped", ""}));
        },
        milliseconds(300));
    EXPECT_THAT(told, ElementsAre("0 stopped;", ""));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(10'000));
}

TEST(RankOutcomes, OneThatFailedWaitsForNobody) {
    const auto told = test::onSeats(1, [](const Seat& seat) {
        return inWords(exchangeOutcomes({seat.store, 0, 5, seat.patience}, {0, "failed", ""}));
    });
    EXPECT_THAT(told, ElementsAre("0 failed;"));
}

}  // namespace
}  // namespace dasgd::experiments
