#include "experiments/ranks/meeting/rank_outcomes.h"

#include <gmock/gmock.h>

#include <functional>
#include <thread>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr milliseconds kOutcomeTimeout{10'000};

void onRanks(int ranks, const std::function<void(Rendezvous&, int rank)>& body) {
    const test::TempDir dir;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            auto store = Rendezvous::file(dir / "store", ranks, kOutcomeTimeout).value();
            body(store, rank);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> statusesOf(const std::vector<RankOutcome>& outcomes) {
    std::vector<std::string> statuses;
    for (const RankOutcome& one : outcomes) statuses.push_back(std::to_string(one.rank) + " " + one.status);
    return statuses;
}

TEST(RankOutcomes, EveryRankIsToldOfAll) {
    onRanks(3, [](Rendezvous& store, int rank) {
        const auto all =
            exchangeOutcomes(store, {rank, "finished", "place " + std::to_string(rank)}, 3, kOutcomeTimeout);
        EXPECT_THAT(statusesOf(all), ElementsAre("0 finished", "1 finished", "2 finished"));
        EXPECT_EQ(all[2].place, "place 2");
    });
}

// Nobody who ended well waits longer than the deadline for a rank that is gone.
TEST(RankOutcomes, ARankThatIsGoneIsWaitedForNoLongerThanTheDeadline) {
    onRanks(2, [](Rendezvous& store, int rank) {
        if (rank == 1) return;
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_THAT(statusesOf(exchangeOutcomes(store, {0, "stopped", ""}, 2, milliseconds(300))),
                    ElementsAre("0 stopped"));
        EXPECT_LT(std::chrono::steady_clock::now() - begin, kOutcomeTimeout);
    });
}

TEST(RankOutcomes, OneThatFailedWaitsForNobody) {
    onRanks(1, [](Rendezvous& store, int) {
        EXPECT_THAT(statusesOf(exchangeOutcomes(store, {0, "failed", ""}, 5, kOutcomeTimeout)),
                    ElementsAre("0 failed"));
    });
}

TEST(RankOutcomes, TellWhichRanksRecordIntoAnotherWorkspace) {
    onRanks(3, [](Rendezvous& store, int rank) {
        const RankPlaces places = sharePlaces(store, rank, 3, "host /w").value();
        EXPECT_TRUE(places.together && places.atHome);
        EXPECT_THAT(places.away, ElementsAre());
    });
    onRanks(3, [](Rendezvous& store, int rank) {
        const RankPlaces places = sharePlaces(store, rank, 3, rank == 1 ? "other /w" : "host /w").value();
        EXPECT_FALSE(places.together);
        EXPECT_EQ(places.atHome, rank != 1);
        EXPECT_EQ(places.away, rank == 0 ? std::vector{1} : std::vector<int>{}) << "known to rank 0";
    });
}

// Two containers may have different folders at one path.
TEST(RankOutcomes, APlaceIsAFolderNotItsPath) {
    const test::TempDir dir;
    const storage::WorkspacePaths paths{dir / "lab"};
    std::filesystem::create_directory(paths.root);
    const std::string first = placeOf(paths);
    EXPECT_EQ(placeOf(paths), first);
    std::filesystem::rename(paths.root, dir / "other");
    std::filesystem::create_directory(paths.root);
    EXPECT_NE(placeOf(paths), first);
}

}  // namespace
}  // namespace dasgd::experiments
